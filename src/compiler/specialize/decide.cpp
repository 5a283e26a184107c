// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/specialize/decide.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/ReplaceConstant.h>

#include <sartor/remark.hpp>

#include "compiler/frontend/analysis/native_only.h"
#include "compiler/frontend/marks/call_marks.h"
#include "compiler/frontend/marks/marks.h"
#include "compiler/frontend/prepare.h"
#include "compiler/frontend/scalar.h"
#include "compiler/specialize/custom.h"
#include "compiler/specialize/fast_path.h"
#include "compiler/specialize/guard.h"
#include "core/request/context.h"
#include "core/space/place.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

// The assembly has no side effects, so that it is removed where it is unused.
CallInst *move_address(Function &function, GlobalVariable &symbol) {
  IRBuilder<> builder(&*function.getEntryBlock().getFirstInsertionPt());
  auto *type = FunctionType::get(builder.getInt64Ty(), {symbol.getType()}, false);
  auto *move = InlineAsm::get(type, "movabsq $1, $0", "=r,i", /*hasSideEffects=*/false);
  CallInst *call = builder.CreateCall(move, {&symbol});
  call->setDoesNotAccessMemory();
  call->setDoesNotThrow();
  return call;
}

void open(GlobalVariable &symbol) {
  convertUsersOfConstantsToInstructions({&symbol});
  DenseMap<Function *, CallInst *> moves;
  for (User *user : make_early_inc_range(symbol.users())) {
    auto *number = dyn_cast<PtrToIntInst>(user);
    if (!number)
      continue;
    CallInst *&move = moves[number->getFunction()];
    if (!move)
      move = move_address(*number->getFunction(), symbol);
    number->replaceAllUsesWith(IRBuilder<>(number).CreateTrunc(move, number->getType()));
    number->eraseFromParent();
  }
}

/// Returns a placeholder for the value of a point that is not known yet, as a constant of its type:
/// an integer of up to 64 bits, or a floating-point number.
Constant *hole_of(const std::string &label, Type &type, Module &module) {
  LLVMContext &context = module.getContext();
  const std::string name = core::hole_symbol(label);
  GlobalVariable *symbol = module.getGlobalVariable(name);
  if (!symbol) {
    symbol = new GlobalVariable(module, Type::getInt8Ty(context), /*isConstant=*/false,
                                GlobalValue::ExternalLinkage, nullptr, name);
    // The symbol's address may be any number, including zero.
    auto *any = ConstantAsMetadata::get(ConstantInt::getAllOnesValue(Type::getInt64Ty(context)));
    symbol->setMetadata(LLVMContext::MD_absolute_symbol, MDNode::get(context, {any, any}));
  }
  Constant *number = ConstantExpr::getPtrToInt(symbol, Type::getInt64Ty(context));
  const unsigned bits = type.getScalarSizeInBits();
  if (bits < 64)
    number = ConstantExpr::getTrunc(number, Type::getIntNTy(context, bits));
  return type.isFloatingPointTy() ? ConstantExpr::getBitCast(number, &type) : number;
}

// A setting of a pointer names a choice's target, a symbol, or a plain address.
Constant *pointer_to(const sartor::Value &value, const Mark &mark, Module &module) {
  for (Constant *choice : mark.choices)
    if (compiler::to_value(*choice, mark.type) == value)
      return choice;
  LLVMContext &context = module.getContext();
  if (value.is_integer())
    return compiler::to_constant(value, *PointerType::getUnqual(context));
  const core::Place place = core::to_place(value.symbol());
  Constant *symbol = module.getNamedValue(place.symbol);
  if (!symbol)
    symbol = module.getOrInsertGlobal(place.symbol, Type::getInt8Ty(context));
  if (place.offset == 0)
    return symbol;
  return ConstantExpr::getGetElementPtr(
      Type::getInt8Ty(context), symbol,
      ConstantInt::getSigned(Type::getInt64Ty(context), place.offset));
}

Constant *constant_of(const sartor::Value &value, const Mark &mark, Type *type, Module &module) {
  if (type->isPointerTy())
    return pointer_to(value, mark, module);
  return compiler::to_constant(value, *type);
}

Result<void> fill_custom(Function &wrapper, const CallMark &mark, const core::Context &context,
                         std::vector<std::uint64_t> &invariants) {
  const auto code = context.generated.find(mark.label);
  if (code == context.generated.end())
    return std::unexpected(core::unknown_custom_kind(mark.label, mark.custom_kind));
  invariants.insert(invariants.end(), code->second.invariants.begin(),
                    code->second.invariants.end());
  return build_custom(wrapper, code->second, mark.label);
}

void leave_generic(Function &function) {
  if (compiler::is_call_point(function)) {
    compiler::release_call(function);
    compiler::make_call_generic(function);
    return;
  }
  for (CallInst *point : compiler::points_of(function))
    compiler::make_generic(*point);
}

Result<void> fill_call_point(Function &wrapper, const core::Context &context,
                             const Instrumentation &instrumentation,
                             std::vector<std::uint64_t> &invariants) {
  const CallMark mark = compiler::read_call_mark(wrapper);
  compiler::release_call(wrapper);
  const Setting *setting = context.configuration.find(mark.label);
  if (setting && mark.kind == PointKind::custom)
    if (auto filled = fill_custom(wrapper, mark, context, invariants); !filled)
      return filled;
  if (setting && mark.kind == PointKind::fast_path)
    if (auto answers = context.answers.find(mark.label); answers != context.answers.end()) {
      answer(wrapper, mark, answers->second);
      invariants.insert(invariants.end(), answers->second.invariants.begin(),
                        answers->second.invariants.end());
    }
  instrumentation.instrument_call(wrapper, mark);
  compiler::make_call_generic(wrapper);
  return {};
}

llvm::Value *failure_counter(Module &module, const Space &space, const std::string &label) {
  auto *word = Type::getInt64Ty(module.getContext());
  const auto &points = space.points();
  auto *array =
      module.getOrInsertGlobal(core::kFailureCounters, ArrayType::get(word, points.size()));
  const auto index = space.find(label) - points.data();
  return ConstantExpr::getInBoundsGetElementPtr(word, array, ConstantInt::get(word, index));
}

// Returns a remark for a point that is set but stays generic, or whose value is not used.
std::optional<Remark> remark_on(const Mark &mark, const CallInst &call,
                                const std::string &problem) {
  const std::string place = mark.label + " (" + mark.file + ":" + std::to_string(mark.line) + ")";
  if (!problem.empty())
    return Remark{RemarkCode::point_generic, place + " stays generic: " + problem};
  if (mark.type.bits > 64)
    return Remark{RemarkCode::point_generic,
                  place + " stays generic: the value is wider than 64 bits"};
  if (call.use_empty())
    return Remark{RemarkCode::point_unused,
                  place + " is set, and nothing is computed from its value"};
  return std::nullopt;
}

// A thread that blocks within the handler may find invariants revoked afterwards, and then leaves
// this code.
void pin_stays(Function &entry, std::vector<PinnedPoint> &pinned) {
  Constant *const stays = ConstantInt::getTrue(entry.getContext());
  for (CallInst *stay : compiler::stays_of(entry))
    pinned.push_back({stay, "sartor_blocking", {stays}, true, nullptr, true});
}

Result<std::vector<PinnedPoint>> pin_points(Function &function, const Space &space,
                                            const core::Context &context,
                                            std::vector<Remark> &remarks) {
  std::vector<PinnedPoint> pinned;
  const std::string problem = compiler::shape_problem(function);
  for (CallInst *call : compiler::points_of(function)) {
    auto mark = compiler::read_mark(*call);
    if (!mark)
      return std::unexpected(std::move(mark.error()));
    const Setting *setting = context.configuration.find(mark->label);
    if (setting)
      if (auto remark = remark_on(*mark, *call, problem))
        remarks.push_back(std::move(*remark));
    if (!setting || !problem.empty() || mark->type.bits > 64) {
      compiler::make_generic(*call);
      continue;
    }
    PinnedPoint point{call, mark->label, {}, setting->guarded, nullptr};
    Module &module = *function.getParent();
    if (context.holes.contains(mark->label))
      point.values.push_back(hole_of(mark->label, *call->getType(), module));
    else
      for (const sartor::Value &value : setting->values)
        point.values.push_back(constant_of(value, *mark, call->getType(), module));
    if (setting->guarded)
      point.failures = failure_counter(*function.getParent(), space, mark->label);
    pinned.push_back(std::move(point));
  }
  return pinned;
}

} // namespace

Result<void> decide_points(Specialized &made, Function &entry, const Space &space,
                           const core::Context &context, const Instrumentation &instrumentation,
                           const KeptLoads *kept, KernelGuards *kernel) {
  for (Function &function : make_early_inc_range(*made.module)) {
    instrumentation.instrument_points(function);
    if (kept && kept->is_copy(function)) {
      leave_generic(function);
      continue;
    }
    if (!compiler::is_call_point(function))
      continue;
    Function *written = kernel ? &kernel->copy_if_tied(function, *context.kernel) : &function;
    if (written != &function)
      leave_generic(function);
    if (auto filled = fill_call_point(*written, context, instrumentation, made.invariants); !filled)
      return filled;
  }
  for (Function &function : make_early_inc_range(*made.module)) {
    if (function.isDeclaration() || compiler::is_call_point(function))
      continue;
    auto pinned = pin_points(function, space, context, made.remarks);
    if (!pinned)
      return std::unexpected(std::move(pinned.error()));
    if (&function == &entry) {
      if (kernel)
        pinned->insert(pinned->begin(), kernel->versions.begin(), kernel->versions.end());
      pin_stays(entry, *pinned);
    }
    if (pinned->empty())
      continue;
    Function *native = &function == &entry ? compiler::declare_native(function) : nullptr;
    if (auto guarded = install_guards(function, *pinned, native); !guarded)
      return guarded;
  }
  for (Function &function :
       *made.module) // blocking sections of other functions are never left by a side exit
    for (CallInst *stay : compiler::stays_of(function))
      stay->eraseFromParent();
  return {};
}

void open_holes(Module &module) {
  for (GlobalVariable &variable : module.globals())
    if (variable.getName().starts_with(core::hole_symbol("")))
      open(variable);
}

} // namespace sartor::compiler
