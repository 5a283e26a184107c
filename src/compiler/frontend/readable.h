// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_FRONTEND_READABLE_H
#define SARTOR_COMPILER_FRONTEND_READABLE_H

#include <string>

#include <llvm/IR/Function.h>

namespace sartor::compiler {

/// A function's name for people: of a handler, the one that programs know it by.
std::string readable(const llvm::Function &function);

} // namespace sartor::compiler

#endif
