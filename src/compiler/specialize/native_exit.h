// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_SPECIALIZE_NATIVE_EXIT_H
#define SARTOR_COMPILER_SPECIALIZE_NATIVE_EXIT_H

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/IRBuilder.h>

namespace sartor::compiler {

/// Whether a function may be begun anew when control has come to `place`: nothing has happened yet
/// that anybody could tell, what would be computed again is little, and nothing is going to be
/// sighted that a profile would miss.
bool may_begin_anew(llvm::BasicBlock &place, const llvm::LoopInfo &loops);

/// Calls `native` with the arguments of the function that is being built, as they came, in place of
/// that call.
void leave_into_native(llvm::IRBuilderBase &builder, llvm::Function &native);

} // namespace sartor::compiler

#endif
