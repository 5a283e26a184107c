// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/plugin/write_guards/address_uses.h"

#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/IntrinsicInst.h>

namespace sartor::compiler {

using namespace llvm;

bool is_plain_variable(const AllocaInst &variable) {
  return all_of(variable.uses(), [](const Use &use) {
    const auto *store = dyn_cast<StoreInst>(use.getUser());
    const auto *intrinsic = dyn_cast<IntrinsicInst>(use.getUser());
    return isa<LoadInst>(use.getUser()) || (store && use.getOperandNo() == 1) ||
           (intrinsic && (intrinsic->isLifetimeStartOrEnd() || isa<DbgInfoIntrinsic>(intrinsic) ||
                          intrinsic->getIntrinsicID() == Intrinsic::var_annotation));
  });
}

bool is_compared(const Value &number) {
  return all_of(number.users(), [](const User *user) {
    const auto *instruction = dyn_cast<Instruction>(user);
    const auto *call = dyn_cast<CallBase>(user);
    const Function *called = call ? call->getCalledFunction() : nullptr;
    return instruction &&
           (isa<ICmpInst>(instruction) || instruction->getOpcode() == Instruction::Sub ||
            (instruction->getOpcode() == Instruction::And && is_compared(*instruction)) ||
            (called && called->getName().starts_with("__ubsan_")));
  });
}

std::string called_as(const Function &function) {
  const std::string name = demangle(function.getName());
  return name.substr(0, name.find('(')) + "()";
}

} // namespace sartor::compiler
