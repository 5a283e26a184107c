// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_FRONTEND_COPY_FUNCTION_H
#define SARTOR_COMPILER_FRONTEND_COPY_FUNCTION_H

#include <string>

#include <llvm/IR/Function.h>

namespace sartor::compiler {

/// Returns the reason why a function must not run as a copy in addition to the original; empty if
/// it may.
[[nodiscard]] std::string copy_problem(const llvm::Function &function);

/// Copies a function without copy_problem() within its module. The static tables of its labels
/// (computed goto) are also copied, so that the copy jumps to its own labels. Calls of the function
/// itself remain calls of the original.
llvm::Function *copy_function(llvm::Function &function);

} // namespace sartor::compiler

#endif
