// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_SPECIALIZE_NEAR_H
#define SARTOR_COMPILER_SPECIALIZE_NEAR_H

#include <vector>

#include <llvm/IR/Module.h>

namespace sartor::compiler {

/// Of a large program, what is many calls away from `roots`, or large, or rare, need not be
/// optimised again to be inlined: its native code is called. Gives those whose bodies are gone.
std::vector<llvm::Function *> leave_far_functions(llvm::Module &module,
                                                  const std::vector<llvm::Function *> &roots);

} // namespace sartor::compiler

#endif
