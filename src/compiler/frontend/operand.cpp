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

// A shift by a number that is too large is undefined, and code for a known one would say so.
bool shifts(unsigned opcode) {
  return opcode == Instruction::Shl || opcode == Instruction::LShr || opcode == Instruction::AShr;
}

/// Where a use of the value leads, if it is one as an operand.
enum class Leads : unsigned char { nowhere, on, astray };

Leads where(const Use &use) {
  const User *user = use.getUser();
  if (const auto *binary = dyn_cast<BinaryOperator>(user)) {
    const unsigned opcode = binary->getOpcode();
    const bool is_second = use.getOperandNo() == 1;
    // What comes out is a number that hangs on others, too.
    return is_second && (divides(opcode) || shifts(opcode)) ? Leads::astray : Leads::nowhere;
  }
  if (const auto *computes = dyn_cast<IntrinsicInst>(user)) // a fused product, a maximum
    return computes->mayHaveSideEffects() || computes->mayReadFromMemory() ? Leads::astray
                                                                           : Leads::nowhere;
  if (isa<CastInst>(user))
    return user->getType()->isPointerTy() ? Leads::astray : Leads::on;
  if (isa<UnaryOperator>(user)) // a negation
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
    return false; // nothing is computed from it
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
