// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "specialize/fold.h"

#include <llvm/Analysis/InlineCost.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/Scalar/ADCE.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "point/closure.h"
#include "point/prepare.h"
#include "point/shape.h"
#include "specialize/evaluate.h"
#include "specialize/follow.h"
#include "specialize/regions.h"

namespace sartor::specialize {

using namespace llvm;

namespace {

// Each round can look one call or one level of pointers deeper.
constexpr unsigned kMostRounds = 12;
// What a function may grow to by inlining.
constexpr unsigned kMostInstructions = 20000;
// Functions up to this size are inlined whatever their arguments: accessors, iterators.
constexpr unsigned kSmall = 40;

/// What makes new constants and pointers visible, and costs little.
class Simplifier {
public:
  Simplifier() {
    builder_.registerModuleAnalyses(modules_);
    builder_.registerCGSCCAnalyses(components_);
    builder_.registerFunctionAnalyses(functions_);
    builder_.registerLoopAnalyses(loops_);
    builder_.crossRegisterProxies(loops_, functions_, components_, modules_);
    passes_.addPass(SROAPass(SROAOptions::PreserveCFG));
    passes_.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
    passes_.addPass(SimplifyCFGPass());
    passes_.addPass(ADCEPass());
  }

  void run(Function &function) {
    functions_.invalidate(function, PreservedAnalyses::none());
    functions_.invalidate(function, passes_.run(function, functions_));
  }

private:
  LoopAnalysisManager loops_;
  FunctionAnalysisManager functions_;
  CGSCCAnalysisManager components_;
  ModuleAnalysisManager modules_;
  PassBuilder builder_;
  FunctionPassManager passes_;
};

class Folder {
public:
  Folder(Module &module, const std::vector<Region> &regions,
         const std::map<std::string, void *, std::less<>> &symbols)
      : module_(module), regions_(regions, symbols, module),
        evaluator_(regions_, symbols, module.getDataLayout()) {}

  void run() {
    for (Function &function : module_)
      if (!function.isDeclaration())
        fold(function);
    drop_unused_functions();
  }

  [[nodiscard]] const std::set<std::uint64_t> &promises() const { return regions_.promises(); }

private:
  void fold(Function &function) {
    for (unsigned round = 0; round < kMostRounds; ++round) {
      const bool followed = follow(function, evaluator_);
      const bool inlined = inline_calls(function);
      if (!followed && !inlined)
        return;
      simplifier_.run(function);
    }
  }

  bool inline_calls(Function &caller) {
    // Bodies are taken as they are, so recursion unfolds one level a round.
    std::vector<CallBase *> calls;
    for (Instruction &instruction : instructions(caller))
      if (auto *call = dyn_cast<CallBase>(&instruction); call && should_inline(*call))
        calls.push_back(call);
    bool changed = false;
    unsigned size = caller.getInstructionCount();
    for (CallBase *call : calls) {
      const unsigned more = call->getCalledFunction()->getInstructionCount();
      if (size + more > kMostInstructions)
        continue;
      InlineFunctionInfo info;
      if (InlineFunction(*call, info).isSuccess()) {
        changed = true;
        size += more;
      }
    }
    return changed;
  }

  bool should_inline(CallBase &call) {
    Function *callee = call.getCalledFunction();
    if (!callee || callee->isDeclaration() || callee == call.getFunction() ||
        callee->getFunctionType() != call.getFunctionType() || call.isMustTailCall() ||
        !can_be_inlined(*callee))
      return false;
    if (callee->hasFnAttribute(Attribute::AlwaysInline))
      return true;
    if (callee->hasFnAttribute(Attribute::NoInline) || call.isNoInline() ||
        callee->hasFnAttribute(Attribute::Cold) ||
        callee->hasFnAttribute(point::kFoldAttribute)) // which is to be called as a whole
      return false;
    if (callee->getInstructionCount() <= kSmall && !is_recursive(*callee))
      return true;
    return any_of(call.args(), [&](const Use &argument) {
      auto *constant = dyn_cast<Constant>(argument);
      auto address = constant ? regions_.address_of(*constant) : std::nullopt;
      return address && regions_.any_near(*address);
    });
  }

  // LLVM refuses what calls itself because it would not know when to stop.
  bool can_be_inlined(Function &function) {
    return isInlineViable(function).isSuccess() ||
           (is_recursive(function) && !function.isVarArg() &&
            point::shape_problem(function).empty());
  }

  bool is_recursive(Function &function) {
    auto [known, is_new] = recursive_.try_emplace(&function, false);
    if (is_new) {
      const auto reached = point::called_functions(function);
      const bool found = any_of(reached, [&](Function *callee) {
        return any_of(instructions(*callee), [&](const Instruction &instruction) {
          const auto *call = dyn_cast<CallBase>(&instruction);
          return call && call->getCalledFunction() == &function;
        });
      });
      recursive_[&function] = found;
      return found;
    }
    return known->second;
  }

  // What was only pointed to by invariant memory need not be optimised if nobody calls it now.
  void drop_unused_functions() {
    for (Function &function : make_early_inc_range(module_))
      if (function.use_empty() && function.isDiscardableIfUnused())
        function.eraseFromParent();
  }

  Module &module_;
  Regions regions_;
  Evaluator evaluator_;
  Simplifier simplifier_;
  DenseMap<const Function *, bool> recursive_;
};

} // namespace

std::set<std::uint64_t> fold(Module &module, const std::vector<Region> &regions,
                             const std::map<std::string, void *, std::less<>> &symbols) {
  if (regions.empty())
    return {};
  Folder folder(module, regions, symbols);
  folder.run();
  return folder.promises();
}

} // namespace sartor::specialize
