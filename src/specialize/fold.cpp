// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "specialize/fold.h"

#include <map>

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

#include "point/analyses.h"
#include "point/closure.h"
#include "point/prepare.h"
#include "point/shape.h"
#include "point/target.h"
#include "space/readable_name.h"
#include "specialize/evaluate.h"
#include "specialize/fast_path.h"
#include "specialize/follow.h"
#include "specialize/identity.h"
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
    passes_.addPass(SROAPass(SROAOptions::PreserveCFG));
    passes_.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
    passes_.addPass(SimplifyCFGPass());
    passes_.addPass(ADCEPass());
  }

  void run(Function &function) {
    FunctionAnalysisManager &known = analyses_.functions;
    known.invalidate(function, PreservedAnalyses::none());
    known.invalidate(function, passes_.run(function, known));
  }

private:
  PassBuilder builder_;
  point::Analyses analyses_{builder_};
  FunctionPassManager passes_;
};

class Folder {
public:
  Folder(Module &module, const Reached &reached, PromisedMemory &memory,
         const std::map<std::string, void *, std::less<>> &symbols,
         std::vector<std::string> &remarks)
      : module_(module), regions_(reached, memory, symbols, module),
        evaluator_(regions_, symbols, module.getDataLayout()), remarks_(remarks) {}

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
      bool gave_up = false;
      forget_volatile(function);
      const bool followed = follow(function, evaluator_, left, gave_up);
      if (gave_up)
        remarks_.push_back("a loop over invariant memory in " + readable(function) +
                           " is not followed: the code would grow too much");
      const bool inlined = inline_calls(function);
      const bool narrowed = narrow_misses(function);
      if (!followed && !inlined && !narrowed)
        return;
      simplifier_.run(function);
    }
  }

  // That somebody may change the memory at any time is what `volatile` says, and the promise
  // denies.
  void forget_volatile(Function &function) {
    evaluator_.enter(function);
    for (Instruction &instruction : instructions(function)) {
      auto *load = dyn_cast<LoadInst>(&instruction);
      if (!load || !load->isVolatile() || load->isAtomic())
        continue;
      Constant *pointer = evaluator_.always(*load->getPointerOperand());
      const auto address = pointer ? regions_.address_of(*pointer) : std::nullopt;
      if (address && regions_.load(*address, *load->getType()))
        load->setVolatile(false);
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
      if (size + more > kMostInstructions) {
        remarks_.push_back("calls in " + readable(caller) +
                           " are not inlined any more: it would grow to more than " +
                           std::to_string(kMostInstructions) + " instructions");
        continue;
      }
      InlineFunctionInfo info;
      if (InlineFunction(*call, info).isSuccess()) {
        changed = true;
        size += more;
      }
    }
    return changed;
  }

  // What stands behind a fast path is called, and as a copy that is made for what is invariant of
  // its arguments.
  bool narrow_misses(Function &caller) {
    bool changed = false;
    for (Instruction &instruction : instructions(caller))
      if (auto *call = dyn_cast<CallBase>(&instruction); call && call->hasFnAttr(kMissAttribute))
        changed = narrow(*call) || changed;
    return changed;
  }

  bool narrow(CallBase &call) {
    Function *callee = call.getCalledFunction();
    if (!callee || callee->isDeclaration() || callee->isVarArg() ||
        callee->hasFnAttribute(Attribute::NoInline) ||
        callee->hasFnAttribute(point::kFoldAttribute))
      return false;
    std::map<unsigned, Constant *> known;
    for (Argument &parameter : callee->args())
      if (Constant *address = invariant_address(*call.getArgOperand(parameter.getArgNo()));
          address && !parameter.use_empty())
        known.emplace(parameter.getArgNo(), address);
    if (known.empty())
      return false;
    Function *&copy = narrowed_[{callee, known}];
    if (!copy) {
      ValueToValueMapTy map;
      copy = CloneFunction(callee, map);
      copy->setLinkage(GlobalValue::InternalLinkage);
      for (const auto &[index, address] : known)
        copy->getArg(index)->replaceAllUsesWith(address);
    }
    call.setCalledFunction(copy);
    return true;
  }

  // The address of a pointer to or near what is invariant, or null.
  Constant *invariant_address(llvm::Value &pointer) {
    auto *constant = dyn_cast<Constant>(&pointer);
    auto address = constant ? regions_.address_of(*constant) : std::nullopt;
    return address && regions_.any_near(*address) ? constant : nullptr;
  }

  static std::string readable(const Function &function) {
    return point::readable_name(point::is_handler(function) ? point::handler_name(function)
                                                            : function.getName().str());
  }

  bool should_inline(CallBase &call) {
    Function *callee = call.getCalledFunction();
    if (!callee || callee->isDeclaration() || callee == call.getFunction() ||
        callee->getFunctionType() != call.getFunctionType() || call.isMustTailCall() ||
        !point::may_inline(*callee, *call.getFunction()) || !can_be_inlined(*callee))
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
      Constant *known = known_pointer(*argument);
      return invariant_address(known ? *known : *argument) != nullptr;
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
  std::vector<std::string> &remarks_;
  DenseMap<const Function *, bool> recursive_;
  std::map<std::pair<Function *, std::map<unsigned, Constant *>>, Function *> narrowed_;
};

} // namespace

Result<std::set<std::uint64_t>> fold(Module &module, const Reached &reached, PromisedMemory &memory,
                                     const std::map<std::string, void *, std::less<>> &symbols,
                                     std::vector<std::string> &remarks) {
  if (reached.regions.empty())
    return {};
  Folder folder(module, reached, memory, symbols, remarks);
  if (auto done = folder.run(); !done)
    return std::unexpected(std::move(done.error()));
  return folder.promises();
}

} // namespace sartor::specialize
