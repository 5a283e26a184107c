// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the loops over invariant memory, and the reasons why they are not followed: for users, who
// want to know which memory to declare invariant or which arguments to bind.
#include "compiler/specialize/follow/trail.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include "compiler/frontend/prepare.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

std::string called_by(const CallBase &call) {
  const Function *callee = call.getCalledFunction();
  return callee ? "a call of " + callee->getName().str() : "a call by a pointer";
}

// Counts arguments as they are passed: a structure may be several.
std::string name_of(const Argument &argument) {
  const Function &function = *argument.getParent();
  const unsigned number = argument.getArgNo() + (function.hasStructRetAttr() ? 0 : 1);
  return "argument " + std::to_string(number) + " of " +
         (compiler::is_handler(function) ? "the handler" : function.getName().str());
}

} // namespace

bool Trail::reads_invariant(const Instruction &instruction) const {
  if (const auto *load = dyn_cast<LoadInst>(&instruction))
    return is_plausible(*load->getPointerOperand()) &&
           !evaluator_.always(*const_cast<llvm::Value *>(load->getPointerOperand()));
  const auto *call = dyn_cast<CallBase>(&instruction);
  return call && call->getCalledFunction() &&
         call->getCalledFunction()->hasFnAttribute(compiler::kFoldAttribute);
}

std::vector<const Loop *> Trail::loops_over_memory() const {
  SetVector<const Loop *> found;
  for (const BasicBlock *block : order_)
    if (const Loop *loop = loops_.getLoopFor(block); loop && is_hot(block))
      if (any_of(*block, [&](const Instruction &each) { return reads_invariant(each); }))
        found.insert(loop);
  return {found.begin(), found.end()};
}

// Returns the phi nodes at a loop's head that its addresses, and its continuation, depend on.
SmallSetVector<PHINode *, 8> Trail::steering(const Loop &loop) const {
  SmallVector<llvm::Value *> work;
  for (BasicBlock *block : loop.blocks()) {
    for (Instruction &instruction : *block)
      if (reads_invariant(instruction))
        work.append(instruction.op_begin(), instruction.op_end());
    if (loop.isLoopExiting(block) && !isa<InvokeInst>(block->getTerminator()) &&
        block->getTerminator()->getNumOperands() > 0)
      work.push_back(block->getTerminator()->getOperand(0));
  }
  SmallSetVector<PHINode *, 8> found;
  SmallPtrSet<llvm::Value *, 16> seen;
  while (!work.empty()) {
    auto *instruction = dyn_cast<Instruction>(work.pop_back_val());
    if (!instruction || !loop.contains(instruction) || !seen.insert(instruction).second)
      continue;
    auto *phi = dyn_cast<PHINode>(instruction);
    if (phi && phi->getParent() == loop.getHeader())
      found.insert(phi);
    else
      work.append(instruction->op_begin(), instruction->op_end());
  }
  return found;
}

std::string Trail::unknown_in(llvm::Value &of) const {
  SmallVector<llvm::Value *> work{&of};
  SmallPtrSet<llvm::Value *, 16> seen;
  while (!work.empty()) {
    llvm::Value *value = work.pop_back_val();
    if (isa<Constant>(value) || isa<BasicBlock>(value) || !seen.insert(value).second ||
        evaluator_.always(*value))
      continue;
    if (const auto *argument = dyn_cast<Argument>(value))
      return name_of(*argument);
    auto *instruction = dyn_cast<Instruction>(value);
    if (!instruction)
      continue;
    if (const auto *call = dyn_cast<CallBase>(instruction); call && !Evaluator::can_compute(*call))
      return called_by(*call);
    if (auto *load = dyn_cast<LoadInst>(instruction)) {
      if (!load->isSimple())
        return "a volatile or atomic load";
      llvm::Value &pointer = *load->getPointerOperand();
      const auto *variable = dyn_cast<GlobalVariable>(getUnderlyingObject(&pointer));
      const bool is_table =
          variable && variable->isConstant() && variable->hasDefinitiveInitializer();
      if (variable && !is_table)
        return "a load of " + variable->getName().str() + ", which is not invariant";
      if (is_table) {
        work.push_back(&pointer);
        continue;
      }
      if (!is_plausible(pointer) || evaluator_.always(pointer))
        return "a load of memory that is not invariant";
    }
    work.append(instruction->op_begin(), instruction->op_end());
  }
  return "a value that hangs on which way control has taken";
}

std::string Trail::why_not(const Loop &loop) const {
  for (PHINode *phi : steering(loop)) {
    if (given_up_.contains(phi)) {
      for (BasicBlock *block : loop.blocks())
        if (const auto *branch = dyn_cast<BranchInst>(block->getTerminator());
            branch && branch->isConditional() && loop.isLoopExiting(block) && is_hot(block) &&
            !computable_.contains(branch->getCondition()) &&
            !evaluator_.always(*branch->getCondition()))
          return "the code would grow too much, because its trip count is unknown: " +
                 unknown_in(*branch->getCondition());
      return "the code would grow too much";
    }
    if (!phi->getType()->isPointerTy() &&
        (!phi->getType()->isIntegerTy() || phi->getType()->getIntegerBitWidth() > 64))
      return "it is steered by what is neither a pointer nor an integer of up to 64 bits";
    for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i) {
      llvm::Value &value = *phi->getIncomingValue(i);
      const bool begins = !loop.contains(phi->getIncomingBlock(i));
      if (begins ? !evaluator_.always(value) : !may_compute(value))
        return std::string(begins ? "where it begins" : "how it goes on") +
               " is not known: " + unknown_in(value);
    }
  }
  return "the values that steer it do not come from invariant memory";
}

} // namespace sartor::compiler
