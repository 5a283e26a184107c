// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/vectorize_first.h"

#include <algorithm>
#include <optional>

#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/LoopAccessAnalysis.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/MemoryLocation.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

namespace sartor::compiler {

using namespace llvm;

namespace {

constexpr const char *kKept = "sartor.loop.kept";
constexpr const char *kDisable = "llvm.loop.unroll.disable";

/// The loop's properties other than the two above.
SmallVector<Metadata *> other_properties(const Loop &loop) {
  SmallVector<Metadata *> others{nullptr}; // the first names the loop itself
  if (const MDNode *id = loop.getLoopID())
    for (const MDOperand &property : drop_begin(id->operands())) {
      const auto *node = dyn_cast<MDNode>(property);
      const auto *name =
          node && node->getNumOperands() > 0 ? dyn_cast<MDString>(node->getOperand(0)) : nullptr;
      if (!name || (name->getString() != kKept && name->getString() != kDisable))
        others.push_back(property);
    }
  return others;
}

bool is_kept(const Loop &loop) { return findOptionMDForLoop(&loop, kKept) != nullptr; }

void set_kept(Loop &loop, bool kept) {
  LLVMContext &context = loop.getHeader()->getContext();
  SmallVector<Metadata *> properties = other_properties(loop);
  if (kept)
    for (const char *name : {kKept, kDisable})
      properties.push_back(MDNode::get(context, MDString::get(context, name)));
  MDNode *id = nullptr;
  if (properties.size() > 1) {
    id = MDNode::getDistinct(context, properties);
    id->replaceOperandWith(0, id);
  }
  loop.setLoopID(id);
}

/// The analysis takes more arguments in later versions of LLVM.
template <class Found> LoopAccessInfo accesses_of(Loop &loop, Found &found) {
  if constexpr (requires {
                  LoopAccessInfo(&loop, &found.SE, &found.TTI, &found.TLI, &found.AA, &found.DT,
                                 &found.LI, &found.AC);
                })
    return LoopAccessInfo(&loop, &found.SE, &found.TTI, &found.TLI, &found.AA, &found.DT, &found.LI,
                          &found.AC);
  else
    return LoopAccessInfo(&loop, &found.SE, &found.TTI, &found.TLI, &found.AA, &found.DT,
                          &found.LI);
}

/// The distance in bytes between the addresses of two iterations, if it is known.
std::optional<std::int64_t> step_of(const llvm::Value &address, const Loop &loop,
                                    ScalarEvolution &evolution) {
  const SCEV *at = evolution.getSCEV(const_cast<llvm::Value *>(&address));
  if (evolution.isLoopInvariant(at, &loop))
    return 0;
  const auto *series = dyn_cast<SCEVAddRecExpr>(at);
  const auto *step = series && series->getLoop() == &loop
                         ? dyn_cast<SCEVConstant>(series->getStepRecurrence(evolution))
                         : nullptr;
  return step ? std::optional(step->getAPInt().getSExtValue()) : std::nullopt;
}

/// Looks through the instructions of a loop of one block.
class Body {
public:
  Body(const Loop &loop, LoopStandardAnalysisResults &found) : loop_(loop), found_(found) {}

  /// True if all can have vectors as operands, memory is accessed one element after the other, and
  /// no load would become a constant by unrolling.
  bool can_be_vectors() {
    for (const Instruction &each : *loop_.getHeader())
      if (!can_be_vector(each))
        return false;
    return widest_ != 0;
  }

  /// The number of bits of the largest stored element.
  [[nodiscard]] std::uint64_t widest() const { return widest_; }

private:
  bool can_be_vector(const Instruction &each) {
    if (isa<PHINode>(each)) { // sums depend on the order of their parts
      if (!found_.SE.isSCEVable(each.getType()))
        return false;
      const auto *series =
          dyn_cast<SCEVAddRecExpr>(found_.SE.getSCEV(const_cast<Instruction *>(&each)));
      return series && series->isAffine();
    }
    if (const auto *load = dyn_cast<LoadInst>(&each))
      return load->isSimple() && is_in_order(*load) && !is_constant(*load);
    if (const auto *store = dyn_cast<StoreInst>(&each)) {
      const Type &type = *store->getValueOperand()->getType();
      if (!store->isSimple() || !is_in_order(*store))
        return false;
      widest_ = std::max<std::uint64_t>(widest_, type.getScalarSizeInBits());
      return true;
    }
    if (const auto *call = dyn_cast<CallBase>(&each)) {
      const Intrinsic::ID id = call->getIntrinsicID();
      return id == Intrinsic::assume || call->isLifetimeStartOrEnd() ||
             isa<DbgInfoIntrinsic>(call) ||
             (id != Intrinsic::not_intrinsic && isTriviallyVectorizable(id));
    }
    return !each.getType()->isVectorTy() && !each.getType()->isAggregateType();
  }

  bool is_in_order(const Instruction &access) {
    const Type *type = getLoadStoreType(const_cast<Instruction *>(&access));
    if (!type->isIntegerTy() && !type->isFloatTy() && !type->isDoubleTy() && !type->isPointerTy())
      return false;
    const auto step = step_of(*getLoadStorePointerOperand(&access), loop_, found_.SE);
    const auto size = access.getDataLayout().getTypeStoreSize(const_cast<Type *>(type));
    return step && (*step == static_cast<std::int64_t>(size.getFixedValue()) ||
                    (*step == 0 && isa<LoadInst>(access)));
  }

  bool is_constant(const LoadInst &load) {
    return !isModSet(found_.AA.getModRefInfoMask(MemoryLocation::get(&load)));
  }

  const Loop &loop_;
  LoopStandardAnalysisResults &found_;
  std::uint64_t widest_ = 0;
};

/// True if the loop is worth two vectors at least, and addresses must be compared.
bool needs_vectorizer(Loop &loop, LoopStandardAnalysisResults &found) {
  if (!loop.isInnermost() || loop.getNumBlocks() != 1 || !loop.isLoopSimplifyForm())
    return false;
  const unsigned length = found.SE.getSmallConstantTripCount(&loop);
  if (length < 4)
    return false;
  Body body(loop, found);
  if (!body.can_be_vectors())
    return false;
  const auto bits =
      found.TTI.getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector).getFixedValue();
  if (bits < 2 * body.widest() || length < 2 * bits / body.widest())
    return false;
  const LoopAccessInfo accesses = accesses_of(loop, found);
  return accesses.canVectorizeMemory() && !accesses.hasConvergentOp() &&
         accesses.getNumRuntimePointerChecks() > 0;
}

bool is_for_program(const Loop &loop) {
  return hasUnrollTransformation(&loop) != TM_Unspecified ||
         hasVectorizeTransformation(&loop) != TM_Unspecified;
}

} // namespace

// A function is processed again after it was inlined; by then, unrolling may lead to constants.
PreservedAnalyses KeepVectorizable::run(Loop &loop, LoopAnalysisManager &,
                                        LoopStandardAnalysisResults &found, LPMUpdater &) {
  const bool kept = is_kept(loop);
  if (!kept && is_for_program(loop)) // the program's own properties
    return PreservedAnalyses::all();
  if (const bool wanted = needs_vectorizer(loop, found); wanted != kept)
    set_kept(loop, wanted);
  return PreservedAnalyses::all();
}

PreservedAnalyses AllowUnrolling::run(Function &function, FunctionAnalysisManager &analyses) {
  for (Loop *loop : analyses.getResult<LoopAnalysis>(function).getLoopsInPreorder())
    if (is_kept(*loop))
      set_kept(*loop, false);
  return PreservedAnalyses::all();
}

} // namespace sartor::compiler
