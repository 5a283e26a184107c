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
#include <llvm/Transforms/Utils/LoopPeel.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

namespace sartor::compiler {

using namespace llvm;

namespace {

constexpr const char *kKept = "sartor.loop.kept";
constexpr const char *kDisable = "llvm.loop.unroll.disable";

bool is_kept(const Loop &loop) { return findOptionMDForLoop(&loop, kKept) != nullptr; }

void set_kept(Loop &loop, bool kept) {
  LLVMContext &context = loop.getHeader()->getContext();
  SmallVector<MDNode *> added;
  if (kept)
    for (const char *name : {kKept, kDisable})
      added.push_back(MDNode::get(context, MDString::get(context, name)));
  loop.setLoopID(
      makePostTransformationMetadata(context, loop.getLoopID(), {kKept, kDisable}, added));
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
std::optional<std::int64_t> step_of(llvm::Value &address, const Loop &loop,
                                    ScalarEvolution &evolution) {
  const SCEV *at = evolution.getSCEV(&address);
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
    for (Instruction &each : *loop_.getHeader())
      if (!can_be_vector(each))
        return false;
    return stores_;
  }

  /// The number of bits of the largest element in memory.
  [[nodiscard]] std::uint64_t widest() const { return widest_; }

private:
  bool can_be_vector(Instruction &each) {
    if (isa<PHINode>(each)) { // sums depend on the order of their parts
      if (!found_.SE.isSCEVable(each.getType()))
        return false;
      const auto *series = dyn_cast<SCEVAddRecExpr>(found_.SE.getSCEV(&each));
      return series && series->isAffine();
    }
    if (auto *load = dyn_cast<LoadInst>(&each))
      return load->isSimple() && is_in_order(*load) && !is_constant(*load);
    if (auto *store = dyn_cast<StoreInst>(&each)) {
      stores_ = true;
      return store->isSimple() && is_in_order(*store);
    }
    if (const auto *call = dyn_cast<CallBase>(&each)) {
      const Intrinsic::ID id = call->getIntrinsicID();
      return id == Intrinsic::assume || call->isLifetimeStartOrEnd() ||
             isa<DbgInfoIntrinsic>(call) ||
             (id != Intrinsic::not_intrinsic && isTriviallyVectorizable(id));
    }
    return !each.getType()->isVectorTy() && !each.getType()->isAggregateType();
  }

  bool is_in_order(Instruction &access) {
    Type *type = getLoadStoreType(&access);
    if (!type->isIntegerTy() && !type->isFloatTy() && !type->isDoubleTy() && !type->isPointerTy())
      return false;
    const auto step = step_of(*getLoadStorePointerOperand(&access), loop_, found_.SE);
    const std::uint64_t size = access.getDataLayout().getTypeStoreSize(type).getFixedValue();
    widest_ = std::max(widest_, 8 * size);
    return step &&
           (*step == static_cast<std::int64_t>(size) || (*step == 0 && isa<LoadInst>(access)));
  }

  bool is_constant(const LoadInst &load) {
    return !isModSet(found_.AA.getModRefInfoMask(MemoryLocation::get(&load)));
  }

  const Loop &loop_;
  LoopStandardAnalysisResults &found_;
  std::uint64_t widest_ = 0;
  bool stores_ = false;
};

/// How the loop vectorizer may process a loop.
struct Vectors {
  unsigned length = 0;   ///< The number of iterations.
  unsigned elements = 0; ///< In a vector.
};

/// Nothing if the loop cannot be vectorized, or does not fill two vectors.
std::optional<Vectors> vectors_of(Loop &loop, LoopStandardAnalysisResults &found) {
  if (!loop.isInnermost() || loop.getNumBlocks() != 1 || !loop.isLoopSimplifyForm())
    return std::nullopt;
  Vectors vectors{.length = found.SE.getSmallConstantTripCount(&loop)};
  Body body(loop, found);
  if (vectors.length < 4 || !body.can_be_vectors())
    return std::nullopt;
  const std::uint64_t bits =
      found.TTI.getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector).getFixedValue();
  vectors.elements = static_cast<unsigned>(bits / body.widest());
  return vectors.elements > 1 && vectors.length >= 2 * vectors.elements ? std::optional(vectors)
                                                                        : std::nullopt;
}

/// True if addresses must be compared to vectorize the loop.
bool needs_vectorizer(Loop &loop, LoopStandardAnalysisResults &found) {
  if (!vectors_of(loop, found))
    return false;
  const LoopAccessInfo accesses = accesses_of(loop, found);
  return accesses.canVectorizeMemory() && !accesses.hasConvergentOp() &&
         accesses.getNumRuntimePointerChecks() > 0;
}

/// Moves the first iterations before the loop. Later versions of LLVM can also peel the last ones.
template <class Found> void peel(Loop &loop, unsigned iterations, Found &found) {
  ValueToValueMapTy copies;
  if constexpr (requires {
                  peelLoop(&loop, iterations, false, &found.LI, &found.SE, found.DT, &found.AC,
                           true, copies);
                })
    peelLoop(&loop, iterations, /*PeelLast=*/false, &found.LI, &found.SE, found.DT, &found.AC,
             /*PreserveLCSSA=*/true, copies);
  else
    peelLoop(&loop, iterations, &found.LI, &found.SE, found.DT, &found.AC, /*PreserveLCSSA=*/true,
             copies);
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

PreservedAnalyses PeelForVectors::run(Loop &loop, LoopAnalysisManager &,
                                      LoopStandardAnalysisResults &found, LPMUpdater &) {
  if (!is_kept(loop))
    return PreservedAnalyses::all();
  set_kept(loop, false);
  const auto vectors = vectors_of(loop, found);
  const unsigned rest = vectors ? vectors->length % vectors->elements : 0;
  if (rest == 0 || !canPeel(&loop))
    return PreservedAnalyses::all();
  peel(loop, rest, found);
  found.SE.forgetTopmostLoop(&loop);
  return getLoopPassPreservedAnalyses();
}

} // namespace sartor::compiler
