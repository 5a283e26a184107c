// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_FRONTEND_COPY_FUNCTION_H
#define SARTOR_COMPILER_FRONTEND_COPY_FUNCTION_H

#include <string>

#include <llvm/IR/Function.h>

namespace sartor::compiler {

/// Why a function must not run as a copy beside itself, or nothing.
[[nodiscard]] std::string copy_problem(const llvm::Function &function);

/// Copies a function that has no copy_problem() within its module. The static tables of its labels
/// (computed goto) are copied along, so that the copy jumps to labels of its own. Calls of the
/// function itself stay what they are.
llvm::Function *copy_function(llvm::Function &function);

} // namespace sartor::compiler

#endif
