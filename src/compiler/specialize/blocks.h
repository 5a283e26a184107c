// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_SPECIALIZE_BLOCKS_H
#define SARTOR_COMPILER_SPECIALIZE_BLOCKS_H

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Function.h>

namespace sartor::compiler {

using Blocks = llvm::SmallPtrSet<const llvm::BasicBlock *, 32>;

/// Returns the blocks that run more than rarely: those not behind branches marked unlikely, such as
/// side exits.
Blocks likely_blocks(const llvm::Function &function);

/// Metadata of a guard's branch, of which one successor is a side exit. Branch weights identify it:
/// passes that swap successors also swap the weights.
constexpr const char *kGuardMark = "sartor.guard";

using CertainBlocks = llvm::SmallPtrSet<const llvm::BasicBlock *, 16>;

/// Returns the blocks that every call of a function executes if it ends. `decide` returns the only
/// successor that a terminator can branch to, or null. Guards count as passed, and calls as
/// returning.
CertainBlocks certain_blocks(llvm::Function &function,
                             llvm::function_ref<llvm::BasicBlock *(llvm::Instruction &)> decide);

/// Returns the only successor of a block if guards pass and calls return; or null.
llvm::BasicBlock *only_way_on(llvm::Instruction &end);

} // namespace sartor::compiler

#endif
