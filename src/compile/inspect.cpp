// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compile/inspect.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/DiagnosticHandler.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "compile/compile.h"
#include "compile/kernel_code.h"
#include "compile/size_report.h"
#include "point/call_marks.h"
#include "point/closure.h"
#include "point/foldable.h"
#include "point/host.h"
#include "point/kept_constants.h"
#include "point/kernel.h"
#include "point/kernel_map.h"
#include "point/map_writes.h"
#include "point/marks.h"
#include "point/prepare.h"
#include "point/read_module.h"
#include "point/shape.h"
#include "space/readable_name.h"
#include "specialize/keep_loads.h"
#include "specialize/specialize.h"

namespace sartor::jit {

using namespace llvm;

namespace {

// What folds because values are known, before loops are unrolled and vectorized: those make more
// code, which would hide what has gone. Loops are rotated so that a test before the first round
// can fold.
constexpr const char *kSimplify =
    "ipsccp,cgscc(inline),function(sroa,early-cse<memssa>,sccp,instcombine<no-verify-fixpoint>,"
    "simplifycfg,loop-mssa(loop-rotate,licm),gvn,sccp,instcombine<no-verify-fixpoint>,adce,"
    "simplifycfg),globaldce";

// The whole of it: LLVM leaves reasons, such as which store clobbers a load, to its own tools.
std::string message_of(const DiagnosticInfoOptimizationBase &remark) {
  std::string message;
  for (const auto &part : remark.getArgs())
    message +=
        part.Key == "Callee" || part.Key == "Caller" ? point::readable_name(part.Val) : part.Val;
  return message;
}

/// Takes down what the passes say.
class Listener : public DiagnosticHandler {
public:
  bool handleDiagnostics(const DiagnosticInfo &said) override {
    const auto *remark = dyn_cast<DiagnosticInfoOptimizationBase>(&said);
    if (!remark)
      return said.getSeverity() == DS_Remark;
    if (remarks)
      remarks->push_back({remark->getPassName().str(), remark->getRemarkName().str(),
                          message_of(*remark), remark->isPassed()});
    return true;
  }
  bool isAnalysisRemarkEnabled(StringRef) const override { return remarks; }
  bool isMissedOptRemarkEnabled(StringRef) const override { return remarks; }
  bool isPassedOptRemarkEnabled(StringRef) const override { return remarks; }
  bool isAnyRemarkEnabled() const override { return remarks; }

  std::vector<PassRemark> *remarks = nullptr; ///< Null where remarks are not collected.
};

bool is_vector(const Instruction &instruction) {
  return instruction.getType()->isVectorTy() || any_of(instruction.operands(), [](const Use &use) {
           return use->getType()->isVectorTy();
         });
}

bool chooses(const Instruction &instruction) {
  return instruction.isTerminator() && instruction.getNumSuccessors() > 1 &&
         !isa<CallBase>(instruction);
}

CodeCounts count(Module &module) {
  CodeCounts counts;
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    for (const Instruction &instruction : instructions(function)) {
      ++counts.instructions;
      counts.branches += chooses(instruction);
      counts.loads += isa<LoadInst>(instruction);
      counts.stores += isa<StoreInst>(instruction);
      counts.calls += isa<CallBase>(instruction) && !isa<IntrinsicInst>(instruction);
      counts.vector_instructions += is_vector(instruction);
    }
    const DominatorTree dominators(function);
    counts.loops += static_cast<int>(LoopInfo(dominators).getLoopsInPreorder().size());
  }
  return counts;
}

Configuration without_guards(const Configuration &configuration) {
  Configuration result;
  for (const auto &[label, setting] : configuration)
    result.set(label, unguarded(setting));
  return result;
}

// Marks name constants for us alone: labels, files.
bool is_used_by_code(const GlobalObject &object) {
  SmallVector<const User *> users(object.users());
  SmallPtrSet<const User *, 16> seen;
  while (!users.empty()) {
    const User *user = users.pop_back_val();
    if (const auto *instruction = dyn_cast<Instruction>(user)) {
      if (!point::is_mark(*instruction))
        return true;
    } else if (seen.insert(user).second) {
      users.append(user->user_begin(), user->user_end());
    }
  }
  return false;
}

// What is Sartor's own, but for constants that are kept for the program's lifetime.
bool is_own(const GlobalObject &object) {
  return object.getName().starts_with("sartor.") &&
         !object.getName().starts_with(point::kKeptPrefix);
}

std::string name_of(const specialize::Context &context) {
  return point::readable_name(context.handler) + context.configuration.text();
}

std::string text_of(const Module &module) {
  std::string text;
  raw_string_ostream stream(text);
  for (const Function &function : module)
    if (!function.isDeclaration())
      function.print(stream);
  return text;
}

} // namespace

struct LlvmInspector::Copy {
  LLVMContext context;
  Listener *listener = nullptr; ///< Owned by the context.
  std::unique_ptr<Module> module;
  std::unique_ptr<TargetMachine> machine = point::make_target_machine(CodeGenOptLevel::Aggressive);

  explicit Copy(const point::HandlerModule &of) {
    auto own = std::make_unique<Listener>();
    listener = own.get();
    context.setDiagnosticHandler(std::move(own));
    specialize::know_load_marks(context);
    // We wrote this bitcode ourselves when the module was loaded.
    module = std::move(*point::read_module(of.bitcode, "handlers", context));
    for (GlobalVariable &variable : module->globals())
      variable.setExternallyInitialized(false); // nobody has set it
  }

  Result<specialize::Specialized> make(const point::HandlerModule &from,
                                       const specialize::Context &wanted) {
    return specialize::specialize(*module, from.space, from.symbols, wanted, name_of(wanted));
  }
};

LlvmInspector::LlvmInspector(const point::HandlerModule &module, std::optional<point::Host> host)
    : module_(module), host_(std::move(host)) {
  const point::Aim aimed = aim();
  copy_ = std::make_unique<Copy>(module);
}

LlvmInspector::~LlvmInspector() = default;

Result<Inspection> LlvmInspector::inspect(specialize::Context context) {
  const point::Aim aimed = aim();
  context.configuration = without_guards(context.configuration);
  auto made = copy_->make(module_, context);
  if (!made)
    return std::unexpected(std::move(made.error()));
  Module &module = *made->module;
  point::erase_marks(module);
  const auto simple = CloneModule(module);
  if (auto done = optimize(*simple, *copy_->machine, {Tier::full, {kSimplify, {}}}); !done)
    return std::unexpected(std::move(done.error()));
  Inspection inspection;
  inspection.changed_nothing = std::move(made->remarks);
  inspection.simplified = count(*simple);
  copy_->listener->remarks = &inspection.remarks;
  const auto done = optimize(module, *copy_->machine, {});
  copy_->listener->remarks = nullptr;
  if (!done)
    return std::unexpected(done.error());
  inspection.optimized = count(module);
  return inspection;
}

Result<std::unique_ptr<Module>> LlvmInspector::made(Copy &copy, const specialize::Context &context,
                                                    const Pipeline &pipeline) {
  auto made = copy.make(module_, context);
  if (!made)
    return std::unexpected(std::move(made.error()));
  Module &module = *made->module;
  point::erase_marks(module);
  const bool is_for_kernel = point::is_for_kernel(module);
  if (is_for_kernel)
    finish_for_kernel(module, module_.space);
  if (auto done = optimize(module, *copy.machine, {Tier::full, pipeline}); !done)
    return std::unexpected(std::move(done.error()));
  if (is_for_kernel)
    define_all_values(module);
  return std::move(made->module);
}

Result<Listing> LlvmInspector::list(const specialize::Context &context, const Pipeline &pipeline) {
  const point::Aim aimed = aim();
  auto module = made(*copy_, context, pipeline);
  if (!module)
    return std::unexpected(std::move(module.error()));
  Listing listing;
  listing.ir = text_of(**module);
  auto assembly = generate_assembly(**module, *copy_->machine);
  if (!assembly)
    return std::unexpected(std::move(assembly.error()));
  listing.assembly = std::move(*assembly);
  return listing;
}

Result<std::vector<FunctionSize>> LlvmInspector::sizes(const specialize::Context &context,
                                                       const Pipeline &pipeline) {
  const point::Aim aimed = aim();
  if (!marked_) {
    marked_ = std::make_unique<Copy>(module_);
    if (!point::is_for_kernel(*marked_->module)) // which is told of types by the source's own
      mark_functions(*marked_->module);
  }
  auto module = made(*marked_, context, pipeline);
  if (!module)
    return std::unexpected(std::move(module.error()));
  const auto object = generate(**module, *marked_->machine);
  if (!object)
    return std::unexpected(object.error());
  auto sizes = sizes_by_function(*object);
  if (sizes)
    for (FunctionSize &each : *sizes)
      if (each.function == name_of(context)) // which the kernel is told
        each.function = point::readable_name(context.handler);
  return sizes;
}

Result<void> LlvmInspector::check(const specialize::Context &context) {
  const point::Aim aimed = aim();
  const auto made = copy_->make(module_, context);
  if (!made)
    return std::unexpected(made.error());
  return check_assertions(*made->module, *copy_->machine, {});
}

std::vector<Place> LlvmInspector::places(const std::string &handler) {
  std::vector<Place> places;
  Function *root = specialize::find_handler(*copy_->module, handler);
  for (Function *function : point::reachable_functions(*root)) {
    const std::string problem = point::shape_problem(*function);
    if (point::is_call_point(*function)) {
      const point::CallMark mark = point::read_call_mark(*function);
      const Site &site = module_.space.find(mark.label)->sites.front();
      places.push_back({mark.label, mark.file, mark.line, site.problem, !function->use_empty()});
      continue;
    }
    for (CallInst *call : point::points_of(*function)) {
      const auto mark = point::read_mark(*call);
      if (!mark)
        continue; // not in a module that was loaded
      Place place{mark->label, mark->file, mark->line, problem, !call->use_empty()};
      if (mark->type.bits > 64)
        place.problem = "the value is wider than 64 bits";
      places.push_back(std::move(place));
    }
  }
  return places;
}

Wanted LlvmInspector::wanted() {
  Wanted wanted;
  for (const GlobalObject &object : copy_->module->global_objects()) {
    const auto *function = dyn_cast<Function>(&object);
    const std::string name = object.getName().str();
    if (function && function->isIntrinsic())
      continue;
    if (function && function->hasFnAttribute(point::kFoldAttribute)) {
      if (auto foldable = point::foldable_of(*function))
        wanted.folded.push_back(std::move(*foldable));
    } else if (object.isDeclarationForLinker() && !is_own(object) && is_used_by_code(object))
      wanted.names.push_back(name);
  }
  return wanted;
}

std::map<std::string, specialize::KernelMap, std::less<>> LlvmInspector::kernel_maps() {
  std::map<std::string, specialize::KernelMap, std::less<>> maps;
  for (const GlobalVariable &variable : copy_->module->globals())
    if (point::map_version(variable))
      if (auto map = point::kernel_map_of(variable))
        maps.emplace(variable.getName(), std::move(*map));
  return maps;
}

} // namespace sartor::jit
