// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_SPECIALIZE_CALM_H
#define SARTOR_COMPILER_SPECIALIZE_CALM_H

#include <llvm/IR/BasicBlock.h>

namespace sartor::compiler {

/// Takes assertions out of a block for the rare case: generic code makes none.
void drop_assertions(llvm::BasicBlock &block);

/// Has a loop for the rare case be small rather than fast: neither unrolled nor vectorized. `latch`
/// leads back to its header. Says nothing about whether it ends that was not said before.
void calm_loop(llvm::BasicBlock &latch);

} // namespace sartor::compiler

#endif
