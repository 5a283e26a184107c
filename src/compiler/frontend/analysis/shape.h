// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_FRONTEND_ANALYSIS_SHAPE_H
#define SARTOR_COMPILER_FRONTEND_ANALYSIS_SHAPE_H

#include <string>

#include <llvm/IR/Function.h>

namespace sartor::compiler {

/// Returns the reason why points in this function must stay generic; empty if there is none. A side
/// exit needs a second copy of the function's blocks, which some constructs do not allow.
std::string shape_problem(const llvm::Function &function);

} // namespace sartor::compiler

#endif
