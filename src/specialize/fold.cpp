// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "specialize/fold.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/Analysis/InlineCost.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
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
  Folder(Module &module, const Reached &reached, PromisedMemory &memory,
         const std::map<std::string, void *, std::less<>> &symbols)
      : module_(module), regions_(reached, memory, symbols, module),
        evaluator_(regions_, symbols, module.getDataLayout()) {}

  Result<void> run() {
    for (Function &function : module_)
      if (!function.isDeclaration())
        fold(function);
    drop_unused_functions();
    for (Function &function : module_)
      if (!function.isDeclaration())
        if (auto harmless = check_stores(function); !harmless)
          return harmless;
    return {};
  }

  [[nodiscard]] const std::set<std::uint64_t> &promises() const { return regions_.promises(); }

private:
  void fold(Function &function) {
    FollowBudget left;
    for (unsigned round = 0; round < kMostRounds; ++round) {
      const bool followed = follow(function, evaluator_, left);
      const bool inlined = inline_calls(function);
      if (!followed && !inlined)
        return;
      simplifier_.run(function);
    }
  }

  // Code that writes what was promised not to change would go on with what it has folded.
  Result<void> check_stores(Function &function) {
    evaluator_.enter(function);
    for (Instruction &instruction : instructions(function)) {
      const auto [pointer, size] = written_by(instruction);
      Constant *place = pointer ? evaluator_.always(*pointer) : nullptr;
      const auto address = place ? regions_.address_of(*place) : std::nullopt;
      if (address && regions_.overlaps(*address, size))
        return std::unexpected(Failure{
            ErrorCode::bad_invariant, function.getName().str(),
            "writes to memory that is promised not to change, at 0x" + utohexstr(*address, true),
            "promise those fields alone that do not change (Runtime::invariant, add_part()), or "
            "leave the writing to other code"});
    }
    return {};
  }

  // Where an instruction writes, and how many bytes at least.
  std::pair<llvm::Value *, std::uint64_t> written_by(Instruction &instruction) {
    const DataLayout &layout = module_.getDataLayout();
    const auto size_of = [&](const llvm::Value *value) {
      return layout.getTypeStoreSize(value->getType()).getKnownMinValue();
    };
    if (auto *store = dyn_cast<StoreInst>(&instruction))
      return {store->getPointerOperand(), size_of(store->getValueOperand())};
    if (auto *update = dyn_cast<AtomicRMWInst>(&instruction))
      return {update->getPointerOperand(), size_of(update->getValOperand())};
    if (auto *exchange = dyn_cast<AtomicCmpXchgInst>(&instruction))
      return {exchange->getPointerOperand(), size_of(exchange->getNewValOperand())};
    if (auto *memory = dyn_cast<MemIntrinsic>(&instruction))
      if (const auto *length = dyn_cast<ConstantInt>(memory->getLength()))
        return {memory->getDest(), length->getZExtValue()};
    return {nullptr, 0};
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

Result<std::set<std::uint64_t>> fold(Module &module, const Reached &reached, PromisedMemory &memory,
                                     const std::map<std::string, void *, std::less<>> &symbols) {
  if (reached.regions.empty())
    return {};
  Folder folder(module, reached, memory, symbols);
  if (auto done = folder.run(); !done)
    return std::unexpected(std::move(done.error()));
  return folder.promises();
}

} // namespace sartor::specialize
