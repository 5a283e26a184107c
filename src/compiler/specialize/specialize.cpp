// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/specialize/specialize.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <llvm/ADT/SetVector.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>

#include <sartor/bound_argument.hpp>
#include <sartor/remark.hpp>

#include "compiler/frontend/analysis/native_only.h"
#include "compiler/frontend/clone.h"
#include "compiler/frontend/left_out.h"
#include "compiler/frontend/llvm_version.h"
#include "compiler/frontend/marks/marks.h"
#include "compiler/frontend/marks/parameters.h"
#include "compiler/frontend/prepare.h"
#include "compiler/frontend/readable.h"
#include "compiler/specialize/decide.h"
#include "compiler/specialize/extract.h"
#include "compiler/specialize/fold/fold.h"
#include "compiler/specialize/fold/fold_recorder.h"
#include "compiler/specialize/fold/identity.h"
#include "compiler/specialize/fold/keep_loads.h"
#include "compiler/specialize/instrument.h"
#include "compiler/specialize/kernel/kernel_maps.h"
#include "compiler/specialize/locals/locals.h"
#include "compiler/specialize/one_of.h"
#include "compiler/specialize/steps.h"
#include "core/request/addresses_bound.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

bool has_probes(const Function &function) {
  return any_of(instructions(function), [](const Instruction &instruction) {
    const auto *call = dyn_cast<CallBase>(&instruction);
    const auto *assembly = call ? dyn_cast<InlineAsm>(call->getCalledOperand()) : nullptr;
    return assembly && compiler::has_probe(*assembly);
  });
}

/// Adds a remark for each function with SystemTap probes: tracers find probes in object files, and
/// a variant belongs to none.
void report_probes(const Module &module, std::vector<Remark> &remarks) {
  for (const Function &function : module)
    if (has_probes(function))
      remarks.push_back({RemarkCode::probes_unseen, "tracers do not see the probes of " +
                                                        compiler::readable(function) +
                                                        "() in this variant (.note.stapsdt)" +
                                                        compiler::place_text(function)});
}

void leave_recursion_unbound(Function &entry, bool is_native_elsewhere) {
  if (all_of(entry.uses(), compiler::is_by_label))
    return;
  Function *unbound = compiler::copy_function(entry);
  if (Function *native = is_native_elsewhere ? compiler::declare_native(entry) : nullptr) {
    unbound->setLinkage(GlobalValue::AvailableExternallyLinkage);
    unbound->setDSOLocal(false);
    native->replaceAllUsesWith(unbound);
    unbound->takeName(native);
    native->eraseFromParent();
  } else {
    unbound->setLinkage(GlobalValue::InternalLinkage);
    unbound->setName(entry.getName() + " (unbound)");
  }
  compiler::replace_function(entry, *unbound);
}

/// Returns what points to the same memory after this use; null if the use only reads. Nothing if it
/// does something else.
std::optional<llvm::Value *> passed_on(const Use &use) {
  User *user = use.getUser();
  if (isa<GetElementPtrInst, PHINode, SelectInst, FreezeInst>(user))
    return user;
  if (const auto *load = dyn_cast<LoadInst>(user))
    return load->isSimple() ? std::optional<llvm::Value *>(nullptr) : std::nullopt;
  const auto *call = dyn_cast<CallBase>(user);
  if (!call || !call->isArgOperand(&use))
    return std::nullopt;
  const unsigned index = call->getArgOperandNo(&use);
  if (const auto *copying = dyn_cast<MemTransferInst>(user))
    return index == 1 && !copying->isVolatile() ? std::optional<llvm::Value *>(nullptr)
                                                : std::nullopt;
  if (call->isPassPointeeByValueArgument(index))
    return nullptr;
  Function *callee = call->getCalledFunction();
  if (!callee || !callee->hasExactDefinition() || callee->isVarArg() ||
      callee->getFunctionType() != call->getFunctionType())
    return std::nullopt;
  return callee->getArg(index);
}

/// True if the function, and the functions of its module that it passes the pointer to, only load
/// from the memory that the argument points to: its address is not stored, compared or returned.
bool is_only_read(Argument &argument) {
  SmallSetVector<llvm::Value *, 16> pointers;
  pointers.insert(&argument);
  for (unsigned i = 0; i < pointers.size(); ++i)
    for (const Use &use : pointers[i]->uses()) {
      const auto next = passed_on(use);
      if (!next)
        return false;
      if (*next)
        pointers.insert(*next);
    }
  return true;
}

// Creates a copy per call, because the function may change its copy and pass its address on. A
// function that only reads needs none, and loops that the contents steer are followed.
llvm::Value *make_copy(Argument &argument, const FixedArgument &bound) {
  Module &module = *argument.getParent()->getParent();
  GlobalVariable *contents = compiler::make_contents(module, bound, argument);
  if (is_only_read(argument)) {
    contents->setAlignment(
        std::max(contents->getAlign().valueOrOne(),
                 module.getDataLayout().getABITypeAlign(argument.getParamByValType())));
    return contents;
  }
  IRBuilder<> builder(&*argument.getParent()->getEntryBlock().getFirstInsertionPt());
  AllocaInst *copy = builder.CreateAlloca(argument.getParamByValType());
  const Align alignment = std::max(copy->getAlign(), argument.getParamAlign().valueOrOne());
  copy->setAlignment(alignment);
  builder.CreateMemCpy(copy, alignment, contents, contents->getAlign(),
                       bound.value->getType()->getArrayNumElements());
  return copy;
}

// True for a side exit to native code, inserted by an earlier stage: it passes the function's own
// arguments, because a copy on its stack would no longer exist.
bool side_exits_to_native(const Use &use) {
  const auto *call = dyn_cast<CallInst>(use.getUser());
  const Function *callee = call && call->isMustTailCall() ? call->getCalledFunction() : nullptr;
  return callee && callee->getName() == compiler::native_name(*call->getFunction());
}

/// Makes a handler's function use the bound arguments of its parameters, by index; the arguments
/// passed for them are ignored. Recursive calls still pass arguments of their own: to the native
/// code, unless they are inlined, if that has the same parameters (`is_native_elsewhere`) and
/// exists; otherwise to an unbound copy. Returns the indices of the parameters that the function
/// does not use.
std::vector<unsigned> bind_arguments(Function &entry,
                                     const std::map<unsigned, BoundArgument> &arguments,
                                     bool is_native_elsewhere) {
  std::vector<unsigned> unused;
  for (const auto &parameter : arguments)
    if (all_of(compiler::fixed_arguments(entry, {parameter}),
               [&](const auto &fixed) { return entry.getArg(fixed.first)->use_empty(); }))
      unused.push_back(parameter.first);
  if (!arguments.empty())
    leave_recursion_unbound(entry, is_native_elsewhere);
  for (const auto &[number, bound] : compiler::fixed_arguments(entry, arguments)) {
    Argument &argument = *entry.getArg(number);
    if (argument.use_empty())
      continue;
    llvm::Value *by = bound.is_in_memory ? make_copy(argument, bound) : bound.value;
    argument.replaceUsesWithIf(by, [&](const Use &use) { return !side_exits_to_native(use); });
  }
  return unused;
}

/// The largest structure that is passed in registers, on x86-64.
constexpr std::size_t kLargestInRegisters = 16;

bool binds_large_structure(const core::Context &context) {
  return std::ranges::any_of(context.arguments, [](const auto &argument) {
    return argument.second.is_object() && argument.second.bytes().size() > kLargestInRegisters;
  });
}

bool binds_invariant_memory(const core::Context &context, const core::Reached &reached) {
  return std::ranges::any_of(context.arguments, [&](const auto &argument) {
    const BoundArgument &bound = argument.second;
    return !bound.is_object() && bound.value().is_integer() &&
           std::ranges::any_of(reached.objects, [&](const core::Extent &object) {
             return object.address <= bound.value().bits() && bound.value().bits() < object.end;
           });
  });
}

} // namespace

Function *find_handler(Module &module, const std::string &name) {
  for (Function &function : module)
    if (compiler::is_handler(function) && compiler::handler_name(function) == name)
      return &function;
  return nullptr;
}

Result<Function *> find_original(Module &prepared, const std::string &handler) {
  Function *original = find_handler(prepared, handler);
  if (!original)
    return std::unexpected(Failure{ErrorCode::unknown_handler, handler,
                                   "is not a handler of this module", "see Runtime::handlers()"});
  if (original->isDeclaration())
    return std::unexpected(Failure{ErrorCode::point_not_specializable, handler,
                                   "has no variants: " + compiler::native_only_reason(*original),
                                   "put what is to be specialized into a handler of its own"});
  return original;
}

const Result<core::Reached> &reached_by(const core::Context &context) {
  static const auto &nothing = *new Result<core::Reached>; // used by compiles at exit
  return context.memory ? context.memory->read() : nothing;
}

static bool knows_memory(const core::Context &context) {
  return !reached_by(context)->regions.empty() || binds_large_structure(context);
}

void bind_known(Specialized &made, Function &entry, const core::Context &context,
                const std::map<unsigned, BoundArgument> &arguments) {
  const bool is_generic_elsewhere = context.configuration.empty() && !context.profile;
  for (const unsigned unused : bind_arguments(entry, arguments, is_generic_elsewhere))
    made.remarks.push_back(
        {RemarkCode::argument_unused, "argument " + std::to_string(unused + 1) +
                                          " is bound, and the handler makes no use of it" +
                                          compiler::place_text(entry)});
}

Result<void> check_lowering(const Module &module, const std::string &handler) {
  if (const std::string problem = compiler::lowering_problem(module); !problem.empty())
    return std::unexpected(Failure{ErrorCode::compile_failed, handler, problem,
                                   "leave out the option of clang that puts it in"});
  return {};
}

Result<void> fold_all(Specialized &made, const Symbols &symbols, const core::Context &context) {
  if (!knows_memory(context))
    return {};
  made.meant.merge(invariants_meant(*made.module, symbols, core::addresses_bound(context),
                                    *reached_by(context)));
  auto depended_on = fold(*made.module, *reached_by(context), context.memory.get(), symbols,
                          made.remarks, made.report);
  if (!depended_on)
    return std::unexpected(std::move(depended_on.error()));
  made.is_folded = made.is_folded || !depended_on->empty();
  made.invariants.insert(made.invariants.end(), depended_on->begin(), depended_on->end());
  return {};
}

void finish(Specialized &made, Function &entry, const core::Context &context) {
  forget_one_of(*made.module, made.remarks);
  report_probes(*made.module, made.remarks);
  forget_known_pointers(*made.module);
  keep_locals(entry, made.remarks);
  if (!made.is_folded && binds_invariant_memory(context, *reached_by(context)))
    made.remarks.push_back(
        {RemarkCode::nothing_folded,
         "an argument points to invariant memory, and nothing read from it became a constant" +
             compiler::place_text(entry)});
  std::ranges::sort(made.remarks);
  const auto said_again = std::ranges::unique(made.remarks);
  made.remarks.erase(said_again.begin(), said_again.end());
  std::ranges::sort(made.invariants);
  const auto repeated = std::ranges::unique(made.invariants);
  made.invariants.erase(repeated.begin(), repeated.end());
  add_invariants(made.report, made.meant, {made.invariants.begin(), made.invariants.end()});
}

Result<Specialized> specialize(Module &prepared, const Space &space, const Symbols &symbols,
                               const core::Context &context, const std::string &symbol) {
  const auto original = find_original(prepared, context.handler);
  if (!original)
    return std::unexpected(original.error());
  const Result<core::Reached> &reached = reached_by(context);
  if (!reached)
    return std::unexpected(reached.error());
  Specialized made;
  made.module = extract(prepared, **original, pointed_to_by(reached->regions, symbols, prepared),
                        /*much_is_inlined=*/knows_memory(context), symbol);
  if (auto lowered = check_lowering(*made.module, context.handler); !lowered)
    return std::unexpected(std::move(lowered.error()));
  Function &entry = *made.module->getFunction(symbol);
  if (const std::string options = compiler::take_left_out(entry); !options.empty())
    made.remarks.push_back(
        {RemarkCode::hooks_left_out, "native code alone has the hooks, counters and checks of " +
                                         options + compiler::place_text(entry)});
  bind_known(made, entry, context, context.arguments);
  if (const std::string problem = compiler::ends_blocking_elsewhere(entry)
                                      ? "the function is too large"
                                      : compiler::shape_problem(entry);
      !problem.empty() && !compiler::blocking_begins_of(entry).empty()) {
    made.remarks.push_back(
        {RemarkCode::blocking_waited_for,
         "threads that block in it are waited for: " + problem +
             compiler::place_text(compiler::blocking_begins_of(entry).front()->getDebugLoc())});
    compiler::erase_blocking(entry);
  }
  std::optional<KeptLoads> kept;
  if (!compiler::stays_of(entry).empty())
    kept.emplace(entry);
  const Instrumentation instrumentation(space, context);
  KernelGuards kernel;
  if (context.kernel) {
    fold_settings(*made.module, *context.kernel);
    kernel.versions = pin_maps(entry, *context.kernel, made.remarks);
  }
  if (auto decided = decide_points(made, entry, space, context, instrumentation,
                                   kept ? &*kept : nullptr, context.kernel ? &kernel : nullptr);
      !decided)
    return std::unexpected(std::move(decided.error()));
  if (context.kernel)
    fold_maps(entry, *context.kernel, kernel, made.remarks);
  if (context.memory)
    mark_volatile_loads(*made.module);
  if (kept)
    kept->keep();
  if (!context.holes.empty())
    open_holes(*made.module);
  compiler::forget_signatures(*made.module);
  if (auto folded = fold_all(made, symbols, context); !folded)
    return std::unexpected(std::move(folded.error()));
  if (!knows_memory(context)) // otherwise fold() has done so
    leave_far_functions(*made.module, {&entry});
  if (kept)
    kept->release();
  if (kept || context.memory)
    erase_load_marks(*made.module);
  finish(made, entry, context);
  if (context.profile)
    instrumentation.finish(*made.module);
  assert(!verifyModule(*made.module, &errs()));
  return made;
}

} // namespace sartor::compiler
