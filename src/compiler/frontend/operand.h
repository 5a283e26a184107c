// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_FRONTEND_OPERAND_H
#define SARTOR_COMPILER_FRONTEND_OPERAND_H

#include <llvm/IR/InstrTypes.h>

namespace sartor::compiler {

/// True if the value of a raised point is used only as an operand: the instructions that use it
/// take any number, and no branch, address, trip count or division depends on the number. Code for
/// another value is then the same code with another number in it.
bool enters_as_operand(const llvm::CallInst &mark);

} // namespace sartor::compiler

#endif
