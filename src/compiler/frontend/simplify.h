// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_FRONTEND_SIMPLIFY_H
#define SARTOR_COMPILER_FRONTEND_SIMPLIFY_H

#include <llvm/IR/Module.h>

namespace sartor::compiler {

/// Cleans up a front end's code whose marks are raised, without moving or merging code that a point
/// may need. Values are then where invariant memory can fold, not in variables on the stack.
void simplify(llvm::Module &module);

} // namespace sartor::compiler

#endif
