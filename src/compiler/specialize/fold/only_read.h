// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_SPECIALIZE_FOLD_ONLY_READ_H
#define SARTOR_COMPILER_SPECIALIZE_FOLD_ONLY_READ_H

#include <llvm/IR/Argument.h>

namespace sartor::compiler {

/// True if the function, and the functions of its module that it passes the pointer to, only load
/// from the memory that the argument points to: its address is not stored, compared or returned.
bool is_only_read(llvm::Argument &argument);

} // namespace sartor::compiler

#endif
