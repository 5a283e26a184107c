// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_FRONTEND_READABLE_H
#define SARTOR_COMPILER_FRONTEND_READABLE_H

#include <string>

#include <llvm/IR/Function.h>

namespace sartor::compiler {

/// Returns a function's name for people; for a handler, the name that programs use.
std::string readable(const llvm::Function &function);

} // namespace sartor::compiler

#endif
