// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "specialize/guard.h"

#include <deque>

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "point/marks.h"
#include "specialize/copies.h"
#include "specialize/instrument.h"

namespace sartor::specialize {

using namespace llvm;

namespace {

// Bodies for all values of all points with several, together; and what the function may grow to by
// them. Beyond, compiling would take seconds.
constexpr unsigned kMostBodies = 64;
constexpr unsigned kMostInstructions = 2500;

bool tells_nobody(Instruction &instruction) {
  return !instruction.mayHaveSideEffects() || instruction.isLifetimeStartOrEnd() ||
         point::as_point(instruction) || point::as_const_assertion(instruction) ||
         is_sighting(instruction);
}

// Whether control can only come here without having done anything that could be noticed.
bool nothing_happened_before(BasicBlock &place) {
  SmallVector<BasicBlock *> work{&place};
  SmallPtrSet<BasicBlock *, 16> seen(work.begin(), work.end());
  while (!work.empty()) {
    BasicBlock *block = work.pop_back_val();
    if (!all_of(*block, tells_nobody))
      return false;
    for (BasicBlock *before : predecessors(block))
      if (seen.insert(before).second)
        work.push_back(before);
  }
  return true;
}

/// One copy of a pinned point. `dispatch` leads to `call`'s block, at whose head the call stands.
struct Instance {
  const PinnedPoint *point;
  BasicBlock *dispatch;
  CallInst *call;
  /// The header of the loop whose iteration a specialized body covers; null for the whole function.
  /// A block of the function before copying.
  BasicBlock *iteration;
};

class Guards {
public:
  Guards(Function &function, const std::vector<PinnedPoint> &points, Function *native)
      : function_(function), points_(points), native_(native), copies_(function) {}

  Result<void> install() {
    isolate_entry();
    isolate_points();
    find_iterations();
    find_native_exits();
    make_cold_copy();
    while (!instances_.empty()) {
      const Instance instance = instances_.front();
      instances_.pop_front();
      if (auto guarded = guard(instance); !guarded)
        return guarded;
    }
    copies_.repair();
    for (auto &[call, value] : replacements_)
      call->replaceAllUsesWith(value ? value : point::watched_value(*call));
    for (auto &[call, value] : replacements_)
      call->eraseFromParent();
    EliminateUnreachableBlocks(function_);
    return {};
  }

private:
  // All copies share the stack slots that every call needs once.
  void isolate_entry() {
    BasicBlock &entry = function_.getEntryBlock();
    SmallVector<AllocaInst *> slots;
    for (Instruction &instruction : entry)
      if (auto *slot = dyn_cast<AllocaInst>(&instruction); slot && slot->isStaticAlloca())
        slots.push_back(slot);
    for (AllocaInst *slot : reverse(slots))
      slot->moveBefore(entry, entry.begin());
    auto first = entry.begin();
    while (isa<AllocaInst>(first) && cast<AllocaInst>(first)->isStaticAlloca())
      ++first;
    entry.splitBasicBlock(first, "body");
  }

  void isolate_points() {
    for (const PinnedPoint &point : points_) {
      BasicBlock *dispatch =
          point.call->getParent()->splitBasicBlock(point.call->getIterator(), "sartor.guard");
      dispatch->splitBasicBlock(point.call->getIterator(), "sartor.point");
      instances_.push_back({&point, dispatch, point.call, nullptr});
    }
  }

  void find_iterations() {
    const DominatorTree dominators(function_);
    const LoopInfo loops(dominators);
    for (Instance &instance : instances_) {
      auto *computed = dyn_cast<Instruction>(point::watched_value(*instance.call));
      const Loop *loop = computed ? loops.getLoopFor(computed->getParent()) : nullptr;
      while (loop && !loop->contains(instance.call))
        loop = loop->getParentLoop();
      instance.iteration = loop ? loop->getHeader() : nullptr;
    }
    for (const Loop *loop : loops.getLoopsInPreorder())
      loop_blocks_[loop->getHeader()].insert(loop->block_begin(), loop->block_end());
  }

  void find_native_exits() {
    if (native_)
      for (const Instance &instance : instances_)
        if (nothing_happened_before(*instance.dispatch) && !sights_from(*instance.dispatch))
          native_exits_.insert(instance.point);
  }

  void make_cold_copy() {
    if (none_of(points_, [&](const PinnedPoint &point) {
          return point.guarded && !native_exits_.contains(&point);
        }))
      return;
    SmallVector<BasicBlock *> body;
    for (BasicBlock &block : function_)
      if (&block != &function_.getEntryBlock())
        body.push_back(&block);
    copies_.clone(body, ".cold", cold_);
    for (const PinnedPoint &point : points_)
      replacements_[cast<CallInst>(cold_.lookup(point.call))] = nullptr; // generic
    for (BasicBlock *block : body) {
      auto *copy = cast<BasicBlock>(cold_.lookup(block));
      cold_blocks_.insert(copy);
      calm(*copy);
    }
  }

  // The cold copy is for the rare case: small rather than fast, and without assertions.
  static void calm(BasicBlock &block) {
    for (Instruction &instruction : make_early_inc_range(block))
      if (CallInst *assertion = point::as_const_assertion(instruction))
        assertion->eraseFromParent();
    Instruction *end = block.getTerminator();
    if (!end->getMetadata(LLVMContext::MD_loop))
      return;
    LLVMContext &context = block.getContext();
    auto property = [&](const char *name, ArrayRef<Metadata *> value = {}) {
      SmallVector<Metadata *> operands{MDString::get(context, name)};
      operands.append(value.begin(), value.end());
      return MDNode::get(context, operands);
    };
    auto *never = ConstantAsMetadata::get(ConstantInt::getFalse(context));
    MDNode *id = MDNode::getDistinct(context, {nullptr, property("llvm.loop.unroll.disable"),
                                               property("llvm.loop.vectorize.enable", {never}),
                                               property("llvm.loop.mustprogress")});
    id->replaceOperandWith(0, id);
    end->setMetadata(LLVMContext::MD_loop, id);
  }

  Result<void> guard(const Instance &instance) {
    const PinnedPoint &point = *instance.point;
    Instruction *leave = instance.dispatch->getTerminator();
    BasicBlock *last = instance.call->getParent();
    BasicBlock *otherwise = point.guarded ? make_side_exit(instance) : nullptr;

    std::vector<BasicBlock *> bodies;
    for (std::size_t i = 0; i + 1 < point.values.size(); ++i) {
      if (++bodies_ > kMostBodies || function_.getInstructionCount() > kMostInstructions)
        return std::unexpected(
            Failure{ErrorCode::too_many_bodies, point.label,
                    "its values together with those of other points would need too many bodies",
                    "give fewer points several values"});
      bodies.push_back(make_body(instance, point.values[i]));
    }
    bodies.push_back(last);
    replacements_[instance.call] = point.values.back();

    // A chain of comparisons; unguarded, the last value is taken for granted.
    IRBuilder<> builder(leave);
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      const bool final = i + 1 == bodies.size();
      if (final && !otherwise) {
        builder.CreateBr(bodies[i]);
        break;
      }
      BasicBlock *next = final ? otherwise : make_next(instance);
      llvm::Value *hit = matches(builder, instance, point.values[i]);
      builder.CreateCondBr(hit, bodies[i], next, final ? likely() : nullptr);
      builder.SetInsertPoint(next);
    }
    leave->eraseFromParent();
    return {};
  }

  // Floating-point values are compared by their bits: -0.0 is not 0.0 to what comes after.
  llvm::Value *matches(IRBuilder<> &builder, const Instance &instance, Constant *wanted) {
    llvm::Value *value = point::watched_value(*instance.call);
    if (value->getType()->isFloatingPointTy()) {
      Type *bits = builder.getIntNTy(value->getType()->getScalarSizeInBits());
      return builder.CreateICmpEQ(builder.CreateBitCast(value, bits),
                                  builder.CreateBitCast(wanted, bits));
    }
    return builder.CreateICmpEQ(value, wanted);
  }

  BasicBlock *make_next(const Instance &instance) {
    auto *next = BasicBlock::Create(function_.getContext(), "sartor.next", &function_,
                                    instance.call->getParent());
    copies_.adopt(next, instance.dispatch);
    return next;
  }

  MDNode *likely() { return MDBuilder(function_.getContext()).createLikelyBranchWeights(); }

  BasicBlock *make_side_exit(const Instance &instance) {
    auto *exit = BasicBlock::Create(function_.getContext(), "sartor.exit", &function_);
    cold_blocks_.insert(exit);
    IRBuilder<> builder(exit);
    if (instance.point->failures) {
      Type *word = builder.getInt64Ty();
      // Relaxed and not atomic as a whole: a count that may miss some, and costs nothing to share.
      auto *count = builder.CreateAlignedLoad(word, instance.point->failures, Align(8));
      count->setAtomic(AtomicOrdering::Monotonic);
      auto *store = builder.CreateAlignedStore(builder.CreateAdd(count, builder.getInt64(1)),
                                               instance.point->failures, Align(8));
      store->setAtomic(AtomicOrdering::Monotonic);
    }
    if (native_exits_.contains(instance.point)) {
      call_native(builder);
    } else {
      BasicBlock *place = copies_.original(instance.call->getParent());
      builder.CreateBr(cast<BasicBlock>(cold_.lookup(place)));
    }
    return exit;
  }

  // With the arguments as they came, and in place of this call.
  void call_native(IRBuilder<> &builder) {
    SmallVector<llvm::Value *> arguments;
    for (Argument &argument : function_.args())
      arguments.push_back(&argument);
    CallInst *call = builder.CreateCall(native_, arguments);
    call->setTailCallKind(CallInst::TCK_MustTail);
    call->setCallingConv(function_.getCallingConv());
    call->setAttributes(function_.getAttributes().removeFnAttributes(function_.getContext()));
    if (call->getType()->isVoidTy())
      builder.CreateRetVoid();
    else
      builder.CreateRet(call);
  }

  BasicBlock *make_body(const Instance &instance, Constant *value) {
    const SmallVector<BasicBlock *> region = region_of(instance);
    ValueToValueMapTy map;
    copies_.clone(region, ".body", map);

    SmallVector<std::pair<CallInst *, llvm::Value *>> replaced;
    for (auto &[call, replacement] : replacements_)
      if (llvm::Value *copy = map.lookup(call))
        replaced.push_back({cast<CallInst>(copy), replacement});
    for (const auto &entry : replaced)
      replacements_.insert(entry);

    std::vector<Instance> copied;
    for (const Instance &other : instances_)
      if (llvm::Value *call = map.lookup(other.call)) {
        llvm::Value *dispatch = map.lookup(other.dispatch);
        if (dispatch)
          copied.push_back(
              {other.point, cast<BasicBlock>(dispatch), cast<CallInst>(call), other.iteration});
      }
    instances_.insert(instances_.end(), copied.begin(), copied.end());

    auto *call = cast<CallInst>(map.lookup(instance.call));
    replacements_[call] = value;
    // Should control come by the point again in this body, with another value, it is dispatched
    // anew.
    if (llvm::Value *again = map.lookup(instance.dispatch)) {
      Instruction *leave = cast<BasicBlock>(again)->getTerminator();
      IRBuilder<> builder(leave);
      const Instance here{instance.point, cast<BasicBlock>(again), call, instance.iteration};
      builder.CreateCondBr(matches(builder, here, value), call->getParent(), instance.dispatch,
                           likely());
      leave->eraseFromParent();
    }
    return call->getParent();
  }

  // The blocks from the point to the end of the iteration, or of the function.
  SmallVector<BasicBlock *> region_of(const Instance &instance) const {
    SmallVector<BasicBlock *> region{instance.call->getParent()};
    SmallPtrSet<BasicBlock *, 32> seen(region.begin(), region.end());
    for (unsigned i = 0; i < region.size(); ++i)
      for (BasicBlock *next : successors(region[i]))
        if (covers(instance.iteration, copies_.original(next)) && !cold_blocks_.contains(next) &&
            seen.insert(next).second)
          region.push_back(next);
    return region;
  }

  bool covers(BasicBlock *iteration, BasicBlock *original) const {
    if (!iteration)
      return true;
    auto blocks = loop_blocks_.find(iteration);
    return original != iteration && blocks->second.contains(original);
  }

  Function &function_;
  const std::vector<PinnedPoint> &points_;
  Function *native_;
  Copies copies_;
  SmallPtrSet<const PinnedPoint *, 8> native_exits_;
  ValueToValueMapTy cold_;
  SmallPtrSet<BasicBlock *, 32> cold_blocks_;
  std::deque<Instance> instances_;
  /// What each copy of a point's call becomes; null for the value it watches.
  MapVector<CallInst *, llvm::Value *> replacements_;
  DenseMap<BasicBlock *, SmallPtrSet<BasicBlock *, 16>> loop_blocks_;
  unsigned bodies_ = 0;
};

} // namespace

Result<void> install_guards(Function &function, const std::vector<PinnedPoint> &points,
                            Function *native) {
  return Guards(function, points, native).install();
}

} // namespace sartor::specialize
