// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_FRONTEND_UNREACHED_H
#define SARTOR_COMPILER_FRONTEND_UNREACHED_H

#include <string>

#include <llvm/IR/Function.h>

namespace sartor::compiler {

/// Returns the reason why no handler reaches a function, as far as its uses show, for people.
std::string why_unreached(const llvm::Function &function);

} // namespace sartor::compiler

#endif
