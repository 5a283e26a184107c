// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_FRONTEND_SIMPLIFY_H
#define SARTOR_COMPILER_FRONTEND_SIMPLIFY_H

#include <llvm/IR/Module.h>

namespace sartor::compiler {

/// Cleans up what a front end wrote, marks raised, without moving or merging anything that a point
/// may need: values are where invariant memory folds, not in variables on the stack.
void simplify(llvm::Module &module);

} // namespace sartor::compiler

#endif
