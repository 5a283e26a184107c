// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_SPECIALIZE_SIDE_EXIT_H
#define SARTOR_COMPILER_SPECIALIZE_SIDE_EXIT_H

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/IRBuilder.h>

namespace sartor::compiler {

/// True if a function may be restarted when control has reached `place`: no observable action has
/// been executed yet, few instructions would be executed again, and no sighting follows that a
/// profile would miss.
bool may_begin_anew(llvm::BasicBlock &place, const llvm::LoopInfo &loops);

/// Calls `native` with the original arguments of the function that is being built, and returns its
/// result.
void side_exit_to_native(llvm::IRBuilderBase &builder, llvm::Function &native);

} // namespace sartor::compiler

#endif
