// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/specialize/follow/steering_calls.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

namespace sartor::compiler {

using namespace llvm;

namespace {

class Finder {
public:
  Finder(Function &function, function_ref<bool(CallBase &)> reads)
      : dominators_(function), loops_(dominators_) {
    for (Instruction &instruction : instructions(function))
      if (auto *call = dyn_cast<CallBase>(&instruction);
          call && loops_.getLoopFor(call->getParent()) && reads(*call))
        calls_.insert(call);
  }

  std::vector<CallBase *> run() {
    for (CallBase *call : calls_)
      for (const Use &argument : call->args())
        add_cursors(*argument);
    for (CallBase *call : calls_)
      for (BasicBlock *block : loops_.getLoopFor(call->getParent())->blocks())
        if (auto *choice = dyn_cast<SwitchInst>(block->getTerminator()))
          work_.push_back(choice->getCondition());
    for (PHINode *cursor : cursors_)
      work_.append(cursor->op_begin(), cursor->op_end());
    follow_back();
    std::vector<CallBase *> steering;
    for (CallBase *call : calls_)
      if (seen_.contains(call))
        steering.push_back(call);
    return steering;
  }

private:
  // Adds the values at the loop's head that an address is computed from: they determine where a
  // loop reads.
  void add_cursors(llvm::Value &address) {
    SmallVector<llvm::Value *> work{&address};
    SmallPtrSet<llvm::Value *, 16> seen;
    while (!work.empty()) {
      auto *instruction = dyn_cast<Instruction>(work.pop_back_val());
      if (!instruction || !seen.insert(instruction).second)
        continue;
      if (auto *phi = dyn_cast<PHINode>(instruction); phi && loops_.isLoopHeader(phi->getParent()))
        cursors_.insert(phi);
      else if (isa<PHINode, GetElementPtrInst, BinaryOperator, CastInst, SelectInst>(instruction))
        work.append(instruction->op_begin(), instruction->op_end());
    }
  }

  void follow_back() {
    while (!work_.empty()) {
      auto *instruction = dyn_cast<Instruction>(work_.pop_back_val());
      if (!instruction || !seen_.insert(instruction).second)
        continue;
      if (const auto *load = dyn_cast<LoadInst>(instruction))
        if (const auto *variable =
                dyn_cast<AllocaInst>(getUnderlyingObject(load->getPointerOperand())))
          add_writers(*variable);
      if (!isa<CallBase>(
              instruction)) // the values that a call depends on are found when it is inlined
        work_.append(instruction->op_begin(), instruction->op_end());
    }
  }

  void add_writers(const AllocaInst &variable) {
    for (CallBase *call : calls_)
      if (any_of(call->args(),
                 [&](const Use &argument) { return getUnderlyingObject(argument) == &variable; }))
        seen_.insert(call);
  }

  DominatorTree dominators_;
  LoopInfo loops_;
  SmallSetVector<CallBase *, 8> calls_;
  SmallSetVector<PHINode *, 8> cursors_;
  SmallVector<llvm::Value *> work_;
  SmallPtrSet<llvm::Value *, 32> seen_;
};

} // namespace

std::vector<CallBase *> steering_calls(Function &function, function_ref<bool(CallBase &)> reads) {
  return Finder(function, reads).run();
}

} // namespace sartor::compiler
