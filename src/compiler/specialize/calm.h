// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_SPECIALIZE_CALM_H
#define SARTOR_COMPILER_SPECIALIZE_CALM_H

#include <llvm/IR/BasicBlock.h>

namespace sartor::compiler {

/// Removes sartor_assert_const() from a block for the rare case: generic code has no assertions.
void drop_assertions(llvm::BasicBlock &block);

/// Marks a loop for the rare case so that it is neither unrolled nor vectorized and remains small.
/// `latch` branches to its header. Keeps the loop's existing mustprogress attribute, and adds none.
void calm_loop(llvm::BasicBlock &latch);

} // namespace sartor::compiler

#endif
