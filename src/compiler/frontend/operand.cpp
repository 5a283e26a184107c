// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/operand.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include "compiler/frontend/prepare.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

bool divides(unsigned opcode) {
  return opcode == Instruction::UDiv || opcode == Instruction::SDiv ||
         opcode == Instruction::URem || opcode == Instruction::SRem;
}

// A shift by too large a number is undefined, so the code for a known number may differ.
bool shifts(unsigned opcode) {
  return opcode == Instruction::Shl || opcode == Instruction::LShr || opcode == Instruction::AShr;
}

/// The result of following one use: the value is an operand and ends there, is passed on, or is
/// used in another way.
enum class Leads : unsigned char { nowhere, on, astray };

Leads where(const Use &use) {
  const User *user = use.getUser();
  if (const auto *binary = dyn_cast<BinaryOperator>(user)) {
    const unsigned opcode = binary->getOpcode();
    const bool is_second = use.getOperandNo() == 1;
    // The result also depends on other values, so it need not be followed.
    return is_second && (divides(opcode) || shifts(opcode)) ? Leads::astray : Leads::nowhere;
  }
  if (const auto *computes = dyn_cast<IntrinsicInst>(user)) // fused multiply-add, maximum, ...
    return computes->mayHaveSideEffects() || computes->mayReadFromMemory() ? Leads::astray
                                                                           : Leads::nowhere;
  if (isa<CastInst>(user))
    return user->getType()->isPointerTy() ? Leads::astray : Leads::on;
  if (isa<UnaryOperator>(user)) // negation
    return Leads::on;
  if (const auto *store = dyn_cast<StoreInst>(user))
    return use.getOperandNo() == 0 && store->isSimple() ? Leads::nowhere : Leads::astray;
  if (const auto *result = dyn_cast<ReturnInst>(user))
    return is_handler(*result->getFunction()) ? Leads::nowhere : Leads::astray;
  return Leads::astray;
}

} // namespace

bool enters_as_operand(const CallInst &mark) {
  const Type *type = mark.getType();
  if (!type->isFloatTy() && !type->isDoubleTy() &&
      !(type->isIntegerTy() && type->getIntegerBitWidth() >= 8 && type->getIntegerBitWidth() <= 64))
    return false;
  if (mark.use_empty())
    return false; // the value is unused
  SmallVector<const llvm::Value *> work{&mark};
  SmallPtrSet<const llvm::Value *, 8> seen{&mark};
  while (!work.empty())
    for (const Use &use : work.pop_back_val()->uses())
      switch (where(use)) {
      case Leads::astray:
        return false;
      case Leads::on:
        if (seen.insert(use.getUser()).second)
          work.push_back(use.getUser());
        break;
      case Leads::nowhere:
        break;
      }
  return true;
}

} // namespace sartor::compiler
