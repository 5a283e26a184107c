// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_FRONTEND_OPERAND_H
#define SARTOR_COMPILER_FRONTEND_OPERAND_H

#include <llvm/IR/InstrTypes.h>

namespace sartor::compiler {

/// Whether the value of a raised point enters its function's code as an operand alone: what is
/// computed from it has a place for a number, and no branch, address, trip count or division hangs
/// on which number it is. Code for another value is then the same code with another number in it.
bool enters_as_operand(const llvm::CallInst &mark);

} // namespace sartor::compiler

#endif
