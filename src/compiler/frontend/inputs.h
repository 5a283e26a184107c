// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_FRONTEND_INPUTS_H
#define SARTOR_COMPILER_FRONTEND_INPUTS_H

#include <string>

#include <llvm/IR/Function.h>

#include "compiler/frontend/call_marks.h"

namespace sartor::compiler {

/// Returns the reason why the results of a fast path cannot be cached by its inputs, or nothing:
/// there are too many inputs, or one is the address of a variable on the stack, which does not
/// change with the variable's content.
std::string inputs_problem(llvm::Function &wrapper, const CallMark &mark);

} // namespace sartor::compiler

#endif
