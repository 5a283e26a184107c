// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/specialize/locals/locals.h"

#include <algorithm>
#include <map>
#include <utility>

#include <llvm/ADT/BitVector.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/CFG.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "compiler/frontend/marks/marks.h"
#include "compiler/frontend/readable.h"
#include "compiler/specialize/locals/local_places.h"
#include "compiler/specialize/simplifier.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

constexpr std::uint64_t kMostBytes = 65536;
// Limit on the copies of parts that are read or written back, of two or three instructions each.
constexpr std::size_t kMostCopies = 100000;

/// A part of the memory that is always read and written back as a whole.
struct Slot {
  std::uint64_t begin, end; ///< In bytes, from the beginning of the memory.
  Align align;              ///< The alignment that its accesses declare.
};

/// The code that may access the memory: the handler alone (ours), or other code (others).
enum class Time : std::uint8_t { not_reached, ours, others };

/// The state at a place in the code.
struct State {
  Time time = Time::not_reached;
  BitVector changed; ///< Slots that may differ from the memory, while it is ours.
};

class Keeper {
public:
  Keeper(Function &function, std::vector<CallInst *> marks, LocalPlaces places, std::uint64_t bytes)
      : function_(function), marks_(std::move(marks)), places_(std::move(places)), bytes_(bytes),
        check_(marks_.front()->getArgOperand(compiler::kLocalCheck)) {
    std::ranges::for_each(places_.accesses, [&](LocalAccess &access) {
      accesses_[access.instruction].push_back(&access);
    });
    divide();
  }

  // Returns an empty text, or the reason of a failure; the code is then unchanged.
  std::string run() {
    find_states();
    if (const std::string problem = problem_of_edges(); !problem.empty())
      return problem;
    find_needed();
    if (copies_ > kMostCopies)
      return "its parts would be read and written back at " + std::to_string(copies_) +
             " places, of " + std::to_string(kMostCopies) + " at most";
    make_variables();
    for (const auto &[from, to] : edges_)
      write_back(*between(*from, *to).getTerminator(), at_end_[from].changed);
    for (BasicBlock *block : blocks_)
      rewrite(*block);
    return "";
  }

private:
  bool is_checked() const { return !isa<ConstantPointerNull>(check_); }

  // A copy between two places, one of which is not known, counts as unknown, because it reads
  // memory.
  bool is_known(const Instruction &instruction) const {
    const auto found = accesses_.find(const_cast<Instruction *>(&instruction));
    return found != accesses_.end() && all_of(found->second, [](const LocalAccess *access) {
             return access->offset.has_value();
           });
  }
  bool is_unknown(const Instruction &instruction) const {
    return accesses_.contains(const_cast<Instruction *>(&instruction)) && !is_known(instruction);
  }

  // True if control may pass to code that may read the memory: a handler of an exception, or code
  // that runs when the process ends.
  bool may_leave(const Instruction &instruction) const {
    const auto *call = dyn_cast<CallInst>(&instruction);
    return call && !isa<IntrinsicInst>(call) &&
           (call->doesNotReturn() || (!call->doesNotThrow() && !function_.doesNotThrow()));
  }

  bool is_written_by(const Instruction &instruction) const {
    const auto found = accesses_.find(const_cast<Instruction *>(&instruction));
    return found != accesses_.end() &&
           any_of(found->second, [](const LocalAccess *access) { return access->writes; });
  }

  void divide() {
    std::vector<Slot> all;
    for (const auto &[instruction, accesses] : accesses_)
      if (is_known(*instruction))
        for (const LocalAccess *access : accesses) {
          const auto begin = static_cast<std::uint64_t>(*access->offset);
          all.push_back({begin, begin + access->size, align_of(*instruction)});
        }
    std::ranges::sort(all, {}, &Slot::begin);
    for (const Slot &each : all)
      if (slots_.empty() || slots_.back().end <= each.begin) {
        slots_.push_back(each);
      } else {
        Slot &last = slots_.back();
        last.align = std::min(last.align, each.align);
        last.end = std::max(last.end, each.end);
      }
  }

  static Align align_of(const Instruction &access) {
    if (const auto *load = dyn_cast<LoadInst>(&access))
      return load->getAlign();
    if (const auto *store = dyn_cast<StoreInst>(&access))
      return store->getAlign();
    return Align(1);
  }

  unsigned slot_at(std::int64_t offset) const {
    const auto behind =
        std::ranges::upper_bound(slots_, static_cast<std::uint64_t>(offset), {}, &Slot::begin);
    return static_cast<unsigned>(behind - slots_.begin()) - 1;
  }

  BitVector none() const { return BitVector(static_cast<unsigned>(slots_.size())); }
  // During checks, the memory contains other values, so all slots must be written back.
  BitVector all_if_checked() const { return BitVector(none().size(), is_checked()); }

  void step(State &state, Instruction &instruction) const {
    if (compiler::as_local(instruction)) {
      state = {Time::ours, all_if_checked()};
    } else if (compiler::as_publish(instruction)) {
      state = {Time::others, none()};
    } else if (state.time != Time::ours) {
      return;
    } else if (is_known(instruction)) {
      for (const LocalAccess *access : accesses_.find(&instruction)->second)
        if (access->writes)
          state.changed.set(slot_at(*access->offset));
    } else if (is_unknown(instruction) || may_leave(instruction)) {
      state.changed = all_if_checked();
    }
  }

  // If the memory is ours on only some paths to a block, it is not ours in the block.
  void meet(BasicBlock &block, State &state) const {
    if (block.isEntryBlock()) {
      state = {Time::others, none()};
      return;
    }
    state = {Time::not_reached, none()};
    for (BasicBlock *before : predecessors(&block)) {
      const auto known = at_end_.find(before);
      if (known == at_end_.end() || known->second.time == Time::not_reached)
        continue;
      state.changed |= known->second.changed;
      state.time = state.time == Time::not_reached || state.time == known->second.time
                       ? known->second.time
                       : Time::others;
    }
    if (state.time == Time::others)
      state.changed.reset();
  }

  void find_states() {
    const ReversePostOrderTraversal<Function *> order(&function_);
    blocks_.assign(order.begin(), order.end());
    for (bool changes = true; changes;) {
      changes = false;
      for (BasicBlock *block : blocks_) {
        State &state = at_begin_[block];
        meet(*block, state);
        State end = state;
        for (Instruction &instruction : *block)
          step(end, instruction);
        State &known = at_end_[block];
        if (known.time == end.time && known.changed == end.changed)
          continue;
        known = std::move(end);
        changes = true;
      }
    }
  }

  std::string problem_of_edges() {
    for (BasicBlock *block : blocks_) {
      if (at_begin_[block].time != Time::others || block->isEntryBlock())
        continue;
      for (BasicBlock *before : predecessors(block))
        if (const State &end = at_end_[before]; end.time == Time::ours && end.changed.any()) {
          if (block->isEHPad() || isa<IndirectBrInst, CallBrInst>(before->getTerminator()))
            return "control leaves it by an exception or an indirect jump";
          if (!is_contained(edges_, std::pair(before, block)))
            edges_.push_back({before, block});
        }
    }
    return "";
  }

  // Computes the slots needed before an instruction from those needed after it, in a walk backwards
  // through a block in which the memory is ours.
  void step_back(BitVector &needed, Instruction &instruction, const State &before) {
    if (compiler::as_local(instruction))
      read_after(instruction, needed);
    if (before.time != Time::ours)
      return;
    if (compiler::as_local(instruction) || compiler::as_publish(instruction) ||
        isa<ReturnInst, ResumeInst>(instruction)) {
      needed = before.changed;
    } else if (is_known(instruction)) {
      const auto &accesses = accesses_.find(&instruction)->second;
      for (const LocalAccess *access : accesses)
        if (access->writes && is_whole(*access))
          needed.reset(slot_at(*access->offset));
      for (const LocalAccess *access : accesses)
        if (!access->writes || !is_whole(*access))
          needed.set(slot_at(*access->offset));
    } else if (is_unknown(instruction) || may_leave(instruction)) {
      if (is_read_again_after(instruction))
        read_after(instruction, needed);
      needed |= before.changed;
    }
  }

  void read_after(Instruction &instruction, BitVector &needed) {
    if (is_checked())
      needed.set();
    needed_after_[&instruction] = needed;
    needed.reset();
  }

  bool is_whole(const LocalAccess &access) const {
    const Slot &slot = slots_[slot_at(*access.offset)];
    return slot.end - slot.begin == access.size;
  }

  bool is_read_again_after(const Instruction &instruction) const {
    const auto *call = dyn_cast<CallInst>(&instruction);
    return !(call && (call->isMustTailCall() || call->doesNotReturn())) &&
           (is_checked() || is_written_by(instruction));
  }

  BitVector needed_at_end_of(BasicBlock &block) const {
    BitVector needed = none();
    for (BasicBlock *after : successors(&block))
      if (at_begin_.at(after).time != Time::ours)
        needed |= at_end_.at(&block).changed;
      else if (const auto known = needed_at_begin_.find(after); known != needed_at_begin_.end())
        needed |= known->second;
    return needed;
  }

  // A part is read only where it is needed later: for its value, for a partial change, or to be
  // written back on a path on which it was not changed.
  void find_needed() {
    for (bool changes = true; changes;) {
      changes = false;
      for (BasicBlock *block : reverse(blocks_)) {
        BitVector needed = needed_at_end_of(*block);
        step_back_through(*block, needed);
        BitVector &known = needed_at_begin_.try_emplace(block, none()).first->second;
        if (known == needed)
          continue;
        known = std::move(needed);
        changes = true;
      }
    }
    count_copies();
  }

  void step_back_through(BasicBlock &block, BitVector &needed) {
    std::vector<std::pair<Instruction *, State>> states;
    State state = at_begin_[&block];
    for (Instruction &instruction : block) {
      if (is_of_interest(instruction))
        states.emplace_back(&instruction, state);
      step(state, instruction);
    }
    for (const auto &[instruction, before] : reverse(states))
      step_back(needed, *instruction, before);
  }

  bool is_of_interest(Instruction &instruction) const {
    return accesses_.contains(&instruction) || may_leave(instruction) ||
           isa<ReturnInst, ResumeInst>(instruction) || compiler::as_local(instruction) ||
           compiler::as_publish(instruction);
  }

  void count_copies() {
    for (const auto &[from, to] : edges_)
      copies_ += at_end_[from].changed.count();
    for (const auto &[instruction, needed] : needed_after_)
      copies_ += needed.count();
    for (BasicBlock *block : blocks_) {
      State state = at_begin_[block];
      for (Instruction &instruction : *block) {
        if (state.time == Time::ours && !is_known(instruction) && is_of_interest(instruction))
          copies_ += state.changed.count();
        step(state, instruction);
      }
    }
  }

  // Inserts a block on all edges from one block to the other.
  static BasicBlock &between(BasicBlock &from, BasicBlock &to) {
    Instruction *end = from.getTerminator();
    const unsigned number = GetSuccessorNumber(&from, &to);
    return isCriticalEdge(end, number)
               ? *SplitCriticalEdge(end, number,
                                    CriticalEdgeSplittingOptions().setMergeIdenticalEdges())
               : *SplitEdge(&from, &to);
  }

  void make_variables() {
    IRBuilder<> builder(&*function_.getEntryBlock().getFirstInsertionPt());
    variables_ = builder.CreateAlloca(ArrayType::get(builder.getInt8Ty(), bytes_));
    variables_->setAlignment(Align(16));
    begin_ = builder.CreateAlloca(builder.getPtrTy());
  }

  llvm::Value *variable(IRBuilder<> &builder, std::uint64_t offset) {
    return builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), variables_, offset);
  }

  static bool has_type(std::uint64_t size) { return size <= 8 && isPowerOf2_64(size); }

  void copy(IRBuilder<> &builder, llvm::Value *to, Align to_align, llvm::Value *from,
            Align from_align, std::uint64_t size) {
    if (!has_type(size)) {
      builder.CreateMemCpy(to, to_align, from, from_align, size);
      return;
    }
    Type *type = builder.getIntNTy(static_cast<unsigned>(size) * 8);
    builder.CreateAlignedStore(builder.CreateAlignedLoad(type, from, from_align), to, to_align);
  }

  void write_back(Instruction &before, const BitVector &changed) {
    if (changed.none())
      return;
    IRBuilder<> builder(&before);
    llvm::Value *begin = builder.CreateLoad(builder.getPtrTy(), begin_);
    for (const unsigned i : changed.set_bits()) {
      const Slot &slot = slots_[i];
      llvm::Value *memory = builder.CreateConstGEP1_64(builder.getInt8Ty(), begin, slot.begin);
      if (is_checked())
        call_check(builder, memory, slot, /*ends=*/true);
      copy(builder, memory, slot.align, variable(builder, slot.begin),
           commonAlignment(Align(16), slot.begin), slot.end - slot.begin);
    }
  }

  void read(Instruction &before, const BitVector &needed) {
    if (needed.none())
      return;
    IRBuilder<> builder(&before);
    llvm::Value *begin = builder.CreateLoad(builder.getPtrTy(), begin_);
    for (const unsigned i : needed.set_bits()) {
      const Slot &slot = slots_[i];
      llvm::Value *memory = builder.CreateConstGEP1_64(builder.getInt8Ty(), begin, slot.begin);
      copy(builder, variable(builder, slot.begin), commonAlignment(Align(16), slot.begin), memory,
           slot.align, slot.end - slot.begin);
      if (is_checked())
        call_check(builder, memory, slot, /*ends=*/false);
    }
  }

  // The check function fills the memory with invalid values meanwhile, so that other code that
  // reads it gets these, and detects writes to it.
  void call_check(IRBuilder<> &builder, llvm::Value *memory, const Slot &slot, bool ends) {
    const CallInst &mark = *marks_.front();
    auto *type = FunctionType::get(builder.getVoidTy(),
                                   {builder.getPtrTy(), builder.getInt64Ty(), builder.getInt32Ty(),
                                    builder.getPtrTy(), builder.getInt32Ty()},
                                   false);
    builder.CreateCall(type, check_,
                       {memory, builder.getInt64(slot.end - slot.begin), builder.getInt32(ends),
                        mark.getArgOperand(compiler::kLocalFile),
                        mark.getArgOperand(compiler::kLocalLine)});
  }

  void rewrite(BasicBlock &block) {
    State state = at_begin_[&block];
    for (Instruction &instruction : make_early_inc_range(block)) {
      const State before = state;
      step(state, instruction);
      if (CallInst *mark = compiler::as_local(instruction)) {
        if (before.time == Time::ours)
          write_back(instruction, before.changed);
        IRBuilder<> builder(mark->getNextNode());
        auto *store = builder.CreateStore(compiler::watched_value(*mark), begin_);
        read(*store->getNextNode(), needed_after_[mark]);
      } else if (before.time != Time::ours) {
        continue;
      } else if (compiler::as_publish(instruction) || isa<ReturnInst, ResumeInst>(instruction)) {
        write_back(before_return(instruction), before.changed);
      } else if (is_known(instruction)) {
        use_variables(instruction);
      } else if (is_unknown(instruction) || may_leave(instruction)) {
        write_back(instruction, before.changed);
        if (is_read_again_after(instruction))
          read(*instruction.getNextNode(), needed_after_[&instruction]);
      }
    }
  }

  static Instruction &before_return(Instruction &end) {
    CallInst *call = end.getParent()->getTerminatingMustTailCall();
    return call && isa<ReturnInst>(end) ? static_cast<Instruction &>(*call) : end;
  }

  void use_variables(Instruction &instruction) {
    IRBuilder<> builder(&instruction);
    for (const LocalAccess *access : accesses_[&instruction]) {
      const auto offset = static_cast<std::uint64_t>(*access->offset);
      const Align align = commonAlignment(Align(16), offset);
      access->pointer->set(variable(builder, offset));
      if (auto *load = dyn_cast<LoadInst>(&instruction))
        load->setAlignment(align);
      else if (auto *store = dyn_cast<StoreInst>(&instruction))
        store->setAlignment(align);
      else if (auto *transfer = dyn_cast<MemTransferInst>(&instruction);
               transfer && access->pointer->getOperandNo() == 1)
        transfer->setSourceAlignment(align);
      else
        cast<MemIntrinsic>(instruction).setDestAlignment(align);
    }
    instruction.dropUnknownNonDebugMetadata(); // metadata about the memory
  }

  Function &function_;
  std::vector<CallInst *> marks_;
  LocalPlaces places_;
  std::uint64_t bytes_;
  llvm::Value *check_;
  std::map<Instruction *, SmallVector<LocalAccess *, 2>> accesses_;
  std::vector<Slot> slots_;
  std::vector<BasicBlock *> blocks_;
  std::map<BasicBlock *, State> at_begin_, at_end_;
  std::map<BasicBlock *, BitVector> needed_at_begin_;
  std::map<Instruction *, BitVector> needed_after_; ///< Slots that are read there.
  std::size_t copies_ = 0;
  std::vector<std::pair<BasicBlock *, BasicBlock *>>
      edges_; ///< Edges on which the memory ceases to be ours.
  AllocaInst *variables_ = nullptr;
  AllocaInst *begin_ = nullptr;
};

std::string where(const CallInst &mark) {
  return compiler::constant_string(mark.getArgOperand(compiler::kLocalFile)).value_or("?") + ":" +
         std::to_string(compiler::constant_number(mark.getArgOperand(compiler::kLocalLine)));
}

std::string where(const Instruction &instruction) {
  const DebugLoc &place = instruction.getDebugLoc();
  return place ? " at " + place->getFilename().str() + ":" + std::to_string(place.getLine()) : "";
}

std::string remark_on_saved(const Instruction &saved_at) {
  const auto *call = dyn_cast<CallBase>(&saved_at);
  const Function *callee = call ? call->getCalledFunction() : nullptr;
  return (callee ? compiler::readable(*callee) + "() is given a pointer into it and may keep it"
          : call ? "a function that is called by a pointer is given a pointer into it"
                 : std::string("a pointer into it is stored in memory")) +
         where(saved_at) +
         ": calls, and accesses by pointers that are loaded, write it back and read it again. If "
         "sartor_publish() comes before what accesses it by such a pointer, mark it with "
         "sartor_local_saved(); a function that keeps no pointer may declare it with "
         "__attribute__((noescape))";
}

// Returns an empty text, or the reason of a failure.
std::string problem_of_marks(const std::vector<CallInst *> &marks) {
  const auto operands = [](const CallInst *mark) {
    return std::pair(mark->getArgOperand(compiler::kLocalBytes),
                     mark->getArgOperand(compiler::kLocalSaved));
  };
  const auto *bytes = dyn_cast<ConstantInt>(operands(marks.front()).first);
  if (!bytes || any_of(marks, [&](const CallInst *mark) {
        return operands(mark) != operands(marks.front());
      }))
    return "its size is not known, or not always the same";
  if (bytes->getValue().ugt(kMostBytes))
    return "it is larger than " + std::to_string(kMostBytes) + " bytes";
  return "";
}

// Returns an empty text, or the reason of a failure.
std::string problem_of_publishing(Function &entry) {
  for (Function &function : *entry.getParent())
    if (&function != &entry && any_of(instructions(function), [](Instruction &instruction) {
          return compiler::as_publish(instruction) != nullptr;
        }))
      return "sartor_publish() stands in " + compiler::readable(function) +
             "(), which is not inlined into the handler";
  return "";
}

std::string keep_in_variables(Function &function, const std::vector<CallInst *> &marks,
                              std::vector<Remark> &remarks) {
  if (std::string problem = problem_of_marks(marks); !problem.empty())
    return problem;
  if (std::string problem = problem_of_publishing(function); !problem.empty())
    return problem;
  if (!compiler::stays_of(function).empty())
    return "the handler has blocking sections";
  const std::uint64_t bytes =
      compiler::constant_number(marks.front()->getArgOperand(compiler::kLocalBytes));
  LocalPlaces places = find_local_places(
      marks, bytes,
      compiler::constant_number(marks.front()->getArgOperand(compiler::kLocalSaved)) != 0);
  if (!places.problem.empty())
    return places.problem;
  if (places.accesses.empty())
    return "nothing in it is accessed by the pointer that it gives";
  std::string remark;
  if (places.others_are_accesses)
    remark = remark_on_saved(*places.saved_at);
  std::string problem = Keeper(function, marks, std::move(places), bytes).run();
  if (problem.empty() && !remark.empty())
    remarks.push_back(
        {RemarkCode::local_saved, "sartor_local() at " + where(*marks.front()) + ": " + remark});
  return problem;
}

} // namespace

void keep_locals(Function &entry, std::vector<Remark> &remarks) {
  if (!compiler::locals_of(entry).empty()) {
    Simplifier simplifier;
    simplifier.inline_callees(*entry.getParent());
    simplifier.run(entry);
  }
  for (Function &function : *entry.getParent()) {
    const std::vector<CallInst *> marks = compiler::locals_of(function);
    if (marks.empty())
      continue;
    const std::string problem =
        &function == &entry ? keep_in_variables(function, marks, remarks)
                            : "it stands in a function that is not inlined into the handler";
    if (!problem.empty())
      remarks.push_back({RemarkCode::local_no_effect, "sartor_local() at " + where(*marks.front()) +
                                                          " has no effect: " + problem});
  }
  compiler::erase_locals(*entry.getParent());
}

} // namespace sartor::compiler
