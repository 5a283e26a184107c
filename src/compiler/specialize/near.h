// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_SPECIALIZE_NEAR_H
#define SARTOR_COMPILER_SPECIALIZE_NEAR_H

#include <vector>

#include <llvm/IR/Module.h>

namespace sartor::compiler {

/// Removes the bodies of functions in a large program that are many calls away from `roots`, or
/// large, or rare: optimizing them again for inlining does not pay off, and their native code is
/// called. Returns these functions.
std::vector<llvm::Function *> leave_far_functions(llvm::Module &module,
                                                  const std::vector<llvm::Function *> &roots);

} // namespace sartor::compiler

#endif
