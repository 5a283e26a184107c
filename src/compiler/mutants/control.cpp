// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mutants of control flow.
#include <optional>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "compiler/mutants/mutant.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

/// A branch that depends on what the code computes, to two places; otherwise null.
BranchInst *decision(Instruction &place) {
  auto *branch = dyn_cast<BranchInst>(&place);
  return branch && branch->isConditional() && !isa<Constant>(branch->getCondition()) &&
                 branch->getSuccessor(0) != branch->getSuccessor(1)
             ? branch
             : nullptr;
}

/// The number by which a variable of a loop changes in each iteration.
std::optional<APInt> step_from(const llvm::Value &next, const PHINode &variable) {
  const DataLayout &layout = variable.getDataLayout();
  if (const auto *address = dyn_cast<GEPOperator>(&next);
      address && address->getPointerOperand() == &variable) {
    APInt step(layout.getIndexTypeSizeInBits(address->getType()), 0);
    return address->accumulateConstantOffset(layout, step) ? std::optional(step) : std::nullopt;
  }
  const auto *sum = dyn_cast<BinaryOperator>(&next);
  const auto *step = sum && sum->getOpcode() == Instruction::Add && sum->getOperand(0) == &variable
                         ? dyn_cast<ConstantInt>(sum->getOperand(1))
                         : nullptr;
  return step ? std::optional(step->getValue()) : std::nullopt;
}

/// The same, for the variable or its value in the next iteration; otherwise nothing.
std::optional<APInt> step_of(const llvm::Value &value, const Loop &loop) {
  const auto is_variable = [&](const llvm::Value *phi) {
    return isa<PHINode>(phi) && cast<PHINode>(phi)->getParent() == loop.getHeader();
  };
  if (is_variable(&value)) {
    const auto &variable = cast<PHINode>(value);
    const BasicBlock *latch = loop.getLoopLatch();
    return latch ? step_from(*variable.getIncomingValueForBlock(latch), variable) : std::nullopt;
  }
  const auto *computed = dyn_cast<Instruction>(&value);
  if (!computed || computed->getNumOperands() == 0 || !is_variable(computed->getOperand(0)))
    return std::nullopt;
  return step_from(value, *cast<PHINode>(computed->getOperand(0)));
}

llvm::Value *advanced(IRBuilder<> &builder, llvm::Value *value, const APInt &step) {
  return value->getType()->isPointerTy() ? builder.CreatePtrAdd(value, builder.getInt(step))
                                         : builder.CreateAdd(value, builder.getInt(step));
}

bool is_available(const llvm::Value &value, const BasicBlock &end,
                  const DominatorTree &dominators) {
  const auto *instruction = dyn_cast<Instruction>(&value);
  return !instruction || dominators.dominates(instruction, end.getTerminator());
}

} // namespace

Change branch_inverted(Instruction &place, const Analyzed &) {
  BranchInst *branch = decision(place);
  if (!branch)
    return {};
  return [branch] { branch->swapSuccessors(); };
}

Change guard_removed(Instruction &place, const Analyzed &analyzed) {
  BranchInst *branch = decision(place);
  if (!branch || analyzed.likely.contains(branch->getSuccessor(0)) ==
                     analyzed.likely.contains(branch->getSuccessor(1)))
    return {};
  return [branch, stays = analyzed.likely.contains(branch->getSuccessor(0))] {
    branch->setCondition(ConstantInt::getBool(branch->getContext(), stays));
  };
}

// The loop ends where the test would end it one iteration later.
Change loop_short(Instruction &place, const Analyzed &analyzed) {
  BranchInst *branch = decision(place);
  const Loop *loop = analyzed.loops.getLoopFor(place.getParent());
  auto *test = branch ? dyn_cast<ICmpInst>(branch->getCondition()) : nullptr;
  if (!test || !loop || !loop->isLoopExiting(place.getParent()))
    return {};
  for (unsigned i = 0; i < 2; ++i)
    if (const auto step = step_of(*test->getOperand(i), *loop))
      return [branch, test, i, step, ends = !loop->contains(branch->getSuccessor(0))] {
        IRBuilder<> builder(branch);
        llvm::Value *operands[] = {test->getOperand(0), test->getOperand(1)};
        operands[i] = advanced(builder, operands[i], *step);
        llvm::Value *early = builder.CreateICmp(test->getPredicate(), operands[0], operands[1]);
        branch->setCondition(ends ? builder.CreateOr(test, early) : builder.CreateAnd(test, early));
      };
  return {};
}

Change argument_replaced(Instruction &place, const Analyzed &) {
  auto *call = dyn_cast<CallBase>(&place);
  if (!call || isa<IntrinsicInst>(call) || call->isInlineAsm())
    return {};
  for (Use &use : call->args()) {
    Type *type = use->getType();
    if ((!type->isIntegerTy() && !type->isFloatingPointTy()) ||
        call->paramHasAttr(call->getArgOperandNo(&use), Attribute::ImmArg))
      continue;
    const auto *constant = dyn_cast<Constant>(use.get());
    Constant *other = Constant::getNullValue(type);
    if (constant && constant->isNullValue())
      other = type->isIntegerTy() ? ConstantInt::get(type, 1) : ConstantFP::get(type, 1);
    return [&use, other] { use.set(other); };
  }
  return {};
}

Change phi_swapped(Instruction &place, const Analyzed &analyzed) {
  auto *phi = dyn_cast<PHINode>(&place);
  if (!phi)
    return {};
  const auto is_once = [phi](unsigned i) {
    return count(phi->blocks(), phi->getIncomingBlock(i)) == 1;
  };
  for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i)
    for (unsigned j = 0; j < i; ++j) {
      llvm::Value *one = phi->getIncomingValue(i);
      llvm::Value *other = phi->getIncomingValue(j);
      if (one != other && is_once(i) && is_once(j) &&
          is_available(*one, *phi->getIncomingBlock(j), analyzed.dominators) &&
          is_available(*other, *phi->getIncomingBlock(i), analyzed.dominators))
        return [=] {
          phi->setIncomingValue(i, other);
          phi->setIncomingValue(j, one);
        };
    }
  return {};
}

Change infinite_loop(Instruction &place, const Analyzed &) {
  if (!isa<BranchInst, ReturnInst, SwitchInst>(place))
    return {};
  return [&place] {
    BasicBlock *block = place.getParent();
    BasicBlock *tail = SplitBlock(block, &place);
    auto *endless = BasicBlock::Create(place.getContext(), "endless", place.getFunction());
    BranchInst::Create(endless, endless);
    block->getTerminator()->replaceSuccessorWith(tail, endless);
  };
}

// Passes take a condition that leads there as false.
Change unreachable(Instruction &place, const Analyzed &analyzed) {
  BranchInst *branch = decision(place);
  if (!branch || !analyzed.likely.contains(branch->getSuccessor(0)) ||
      !analyzed.likely.contains(branch->getSuccessor(1)))
    return {};
  return [branch] {
    auto *never = BasicBlock::Create(branch->getContext(), "never", branch->getFunction());
    new UnreachableInst(branch->getContext(), never);
    branch->getSuccessor(1)->removePredecessor(branch->getParent(), /*KeepOneInputPHIs=*/true);
    branch->setSuccessor(1, never);
  };
}

} // namespace sartor::compiler
