// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/specialize/guard.h"

#include <deque>

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/BasicBlock.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "compiler/frontend/llvm_version.h"
#include "compiler/frontend/marks/marks.h"
#include "compiler/specialize/blocks.h"
#include "compiler/specialize/copies.h"
#include "compiler/specialize/fold/identity.h"
#include "compiler/specialize/instrument.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

// Limit on the instructions that are executed twice: fewer than a mispredicted branch costs.
constexpr std::size_t kMostRepeated = 64;

bool is_mark(Instruction &instruction) {
  return compiler::is_mark(instruction) || is_sighting(instruction);
}

// True for an instruction without side effects that is no possibly long call.
bool may_be_repeated(Instruction &instruction) {
  if (is_mark(instruction) || instruction.isLifetimeStartOrEnd())
    return true;
  return !instruction.mayHaveSideEffects() &&
         (!isa<CallBase>(instruction) || isa<IntrinsicInst>(instruction));
}

/// True if a function may be restarted when control has reached `place`: no observable action has
/// been executed yet, few instructions would be executed again, and no sighting follows that a
/// profile would miss.
bool may_begin_anew(BasicBlock &place, const LoopInfo &loops) {
  SmallVector<BasicBlock *> work{&place};
  SmallPtrSet<BasicBlock *, 16> seen(work.begin(), work.end());
  std::size_t repeated = 0;
  while (!work.empty()) {
    BasicBlock *block = work.pop_back_val();
    repeated += block->size();
    if (repeated > kMostRepeated || loops.getLoopFor(block) || !all_of(*block, may_be_repeated))
      return false;
    for (BasicBlock *before : predecessors(block))
      if (seen.insert(before).second)
        work.push_back(before);
  }
  return !sights_from(place);
}

/// Calls `native` with the original arguments of the function that is being built, and returns its
/// result.
void side_exit_to_native(IRBuilderBase &builder, Function &native) {
  Function &function = *builder.GetInsertBlock()->getParent();
  SmallVector<llvm::Value *> arguments;
  for (Argument &argument : function.args())
    arguments.push_back(&argument);
  CallInst *call = builder.CreateCall(&native, arguments);
  call->setTailCallKind(CallInst::TCK_MustTail);
  call->setCallingConv(function.getCallingConv());
  call->setAttributes(function.getAttributes().removeFnAttributes(function.getContext()));
  if (call->getType()->isVoidTy())
    builder.CreateRetVoid();
  else
    builder.CreateRet(call);
}

/// Removes sartor_assert_const() from a block for the rare case: generic code has no assertions.
void drop_assertions(BasicBlock &block) {
  for (Instruction &instruction : make_early_inc_range(block))
    if (CallInst *assertion = compiler::as_const_assertion(instruction))
      assertion->eraseFromParent();
}

/// Marks a loop for the rare case so that it is neither unrolled nor vectorized and remains small.
/// `latch` branches to its header. Keeps the loop's existing mustprogress attribute, and adds none.
void calm_loop(BasicBlock &latch) {
  Instruction *end = latch.getTerminator();
  LLVMContext &context = latch.getContext();
  const auto property = [&](const char *name, ArrayRef<Metadata *> value = {}) -> Metadata * {
    SmallVector<Metadata *> operands{MDString::get(context, name)};
    operands.append(value.begin(), value.end());
    return MDNode::get(context, operands);
  };
  auto *never = ConstantAsMetadata::get(ConstantInt::getFalse(context));
  SmallVector<Metadata *> properties{nullptr, property("llvm.loop.unroll.disable"),
                                     property("llvm.loop.vectorize.enable", {never})};
  if (MDNode *known = end->getMetadata(LLVMContext::MD_loop);
      known && findOptionMDForLoopID(known, "llvm.loop.mustprogress"))
    properties.push_back(property("llvm.loop.mustprogress"));
  MDNode *id = MDNode::getDistinct(context, properties);
  id->replaceOperandWith(0, id);
  end->setMetadata(LLVMContext::MD_loop, id);
}

// Limits on the bodies for all values of all points with several values, and on the instructions of
// those bodies, beyond which no further body is begun. With more, compiling would take seconds.
constexpr unsigned kMostBodies = 64;
constexpr unsigned kMostGuardedInstructions = 2500;

/// One copy of a pinned point. `dispatch` branches to `call`'s block, which begins with the call.
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
      : function_(function), points_(points),
        native_(compiler::jump_problem(function).empty() ? native : nullptr), copies_(function) {}

  Result<void> install() {
    isolate_entry();
    isolate_points();
    find_loops();
    make_side_exit_copy();
    const unsigned before = function_.getInstructionCount();
    while (!instances_.empty()) {
      const Instance instance = instances_.front();
      instances_.pop_front();
      if (auto guarded = guard(instance, before); !guarded)
        return guarded;
    }
    copies_.repair();
    for (auto &[call, value] : replacements_)
      call->replaceAllUsesWith(value ? known_value(*call, *value) : compiler::watched_value(*call));
    for (auto &[call, value] : replacements_)
      call->eraseFromParent();
    EliminateUnreachableBlocks(function_);
    return {};
  }

private:
  // All copies share the stack slots, which every call needs once.
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

  void find_loops() {
    const DominatorTree dominators(function_);
    const LoopInfo loops(dominators);
    for (Instance &instance : instances_) {
      auto *computed = dyn_cast<Instruction>(compiler::watched_value(*instance.call));
      const Loop *loop = computed ? loops.getLoopFor(computed->getParent()) : nullptr;
      while (loop && !loop->contains(instance.call))
        loop = loop->getParentLoop();
      instance.iteration = loop ? loop->getHeader() : nullptr;
      if (native_ && may_begin_anew(*instance.dispatch, loops))
        side_exits_.insert(instance.point);
    }
    for (const Loop *loop : loops.getLoopsInPreorder()) {
      loop_blocks_[loop->getHeader()].insert(loop->block_begin(), loop->block_end());
      loop->getLoopLatches(latches_);
    }
  }

  void make_side_exit_copy() {
    if (none_of(points_, [&](const PinnedPoint &point) {
          return point.guarded && !side_exits_.contains(&point);
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
      drop_assertions(*copy);
      if (llvm::any_of(points_, [](const PinnedPoint &point) { return point.ends_invariants; }))
        for (Instruction &instruction : *copy)
          instruction.setMetadata(kSideExitMark, MDNode::get(function_.getContext(), {}));
    }
    for (BasicBlock *latch : latches_)
      calm_loop(*cast<BasicBlock>(cold_.lookup(latch)));
  }

  // `before`: the number of instructions of the function without bodies.
  Result<void> guard(const Instance &instance, unsigned before) {
    const PinnedPoint &point = *instance.point;
    Instruction *leave = instance.dispatch->getTerminator();
    BasicBlock *last = instance.call->getParent();
    BasicBlock *otherwise = point.guarded ? make_side_exit(instance) : nullptr;

    std::vector<BasicBlock *> bodies;
    for (std::size_t i = 0; i + 1 < point.values.size(); ++i) {
      if (++bodies_ > kMostBodies ||
          function_.getInstructionCount() > before + kMostGuardedInstructions)
        return std::unexpected(too_many_bodies(point));
      bodies.push_back(make_body(instance, point.values[i]));
    }
    bodies.push_back(last);
    replacements_[instance.call] = point.values.back();

    // A chain of comparisons; if unguarded, the last value is assumed.
    IRBuilder<> builder(leave);
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      const bool final = i + 1 == bodies.size();
      if (final && !otherwise) {
        builder.CreateBr(bodies[i]);
        break;
      }
      BasicBlock *next = final ? otherwise : make_next(instance);
      llvm::Value *hit = matches(builder, instance, point.values[i]);
      BranchInst *branch = builder.CreateCondBr(hit, bodies[i], next, final ? likely() : nullptr);
      if (final)
        branch->setMetadata(kGuardMark, MDNode::get(function_.getContext(), {}));
      builder.SetInsertPoint(next);
    }
    leave->eraseFromParent();
    return {};
  }

  Failure too_many_bodies(const PinnedPoint &point) const {
    const std::string limit = " (all in all " + std::to_string(kMostBodies) + " bodies, or " +
                              std::to_string(kMostGuardedInstructions) + " instructions)";
    if (llvm::any_of(points_, [&](const PinnedPoint &other) {
          return other.label != point.label && other.values.size() > 1;
        }))
      return {ErrorCode::too_many_bodies, point.label,
              "its values together with those of other points would need too many bodies" + limit,
              "give fewer points several values"};
    return {ErrorCode::too_many_bodies, point.label,
            "the code after it would be needed too many times for its " +
                std::to_string(point.values.size()) + " values" + limit,
            "give it fewer values, or mark it where less code comes after it"};
  }

  // A pointer is not replaced by the constant that it equals; see identity.h.
  static llvm::Value *known_value(CallInst &call, Constant &value) {
    if (!value.getType()->isPointerTy() || may_stand_for_pointer(value))
      return &value;
    IRBuilder<> builder(&call);
    return know_pointer(builder, *compiler::watched_value(call), value);
  }

  // Floating-point values are compared by their bits: -0.0 and 0.0 are different for the code that
  // follows.
  llvm::Value *matches(IRBuilder<> &builder, const Instance &instance, Constant *wanted) {
    llvm::Value *value = compiler::watched_value(*instance.call);
    if (value->getType()->isFloatingPointTy()) {
      Type *bits = builder.getIntNTy(value->getType()->getScalarSizeInBits());
      return builder.CreateICmpEQ(builder.CreateBitCast(value, bits),
                                  builder.CreateBitCast(wanted, bits));
    }
    if (value->getType()->isPointerTy() && !may_stand_for_pointer(*wanted))
      return builder.CreateICmpEQ(hidden_address(builder, *value),
                                  ConstantExpr::getPtrToInt(wanted, builder.getInt64Ty()));
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
      // A relaxed load and store instead of an atomic increment: the count may miss some failures,
      // but is cheap to share.
      auto *count = builder.CreateAlignedLoad(word, instance.point->failures, Align(8));
      count->setAtomic(AtomicOrdering::Monotonic);
      auto *store = builder.CreateAlignedStore(builder.CreateAdd(count, builder.getInt64(1)),
                                               instance.point->failures, Align(8));
      store->setAtomic(AtomicOrdering::Monotonic);
    }
    if (side_exits_.contains(instance.point)) {
      side_exit_to_native(builder, *native_);
    } else {
      BasicBlock *place = copies_.original(instance.call->getParent());
      builder.CreateBr(cast<BasicBlock>(cold_.lookup(place)));
    }
    return exit;
  }

  BasicBlock *make_body(const Instance &instance, Constant *value) {
    const SmallVector<BasicBlock *> region = region_of(instance);
    ValueToValueMapTy map;
    copies_.clone(region, ".body", map);

    SmallVector<std::pair<CallInst *, Constant *>> replaced;
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
    // If control reaches the point again in this body, with another value, it is dispatched anew.
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

  // Returns the blocks from the point to the end of the iteration, or of the function.
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
  SmallPtrSet<const PinnedPoint *, 8> side_exits_;
  ValueToValueMapTy cold_;
  SmallPtrSet<BasicBlock *, 32> cold_blocks_;
  std::deque<Instance> instances_;
  /// The replacement of each copy of a point's call; null for the value that the call receives.
  MapVector<CallInst *, Constant *> replacements_;
  DenseMap<BasicBlock *, SmallPtrSet<BasicBlock *, 16>> loop_blocks_;
  SmallVector<BasicBlock *> latches_;
  unsigned bodies_ = 0;
};

} // namespace

Result<void> install_guards(Function &function, const std::vector<PinnedPoint> &points,
                            Function *native) {
  return Guards(function, points, native).install();
}

} // namespace sartor::compiler
