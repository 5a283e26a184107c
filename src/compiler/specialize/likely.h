// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_SPECIALIZE_LIKELY_H
#define SARTOR_COMPILER_SPECIALIZE_LIKELY_H

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Function.h>

namespace sartor::compiler {

using Blocks = llvm::SmallPtrSet<const llvm::BasicBlock *, 32>;

/// Returns the blocks that run more than rarely: those not behind branches marked unlikely, such as
/// side exits.
Blocks likely_blocks(const llvm::Function &function);

} // namespace sartor::compiler

#endif
