// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_FRONTEND_TARGET_H
#define SARTOR_COMPILER_FRONTEND_TARGET_H

#include <llvm/IR/Module.h>

namespace sartor::compiler {

/// Compiles all functions of a module for this machine: the host's instructions, followed by the
/// native code's own features. Variants may use the instructions that the native code may use (a
/// kernel behind a check of the processor); restrictions and hardening of the native code also
/// apply to variants. Rounding is that of the native code: a product and a sum that are two
/// instructions there are not fused.
///
/// Vectors that are wider than the native code's registers are passed differently if registers are
/// wider. Functions that exchange such vectors with native code, and their callees, keep the native
/// code's target.
void target_this_machine(llvm::Module &module);

/// Compiles `made`, a function that accompanies `like`, for the same instructions and with the same
/// hardening.
void target_like(llvm::Function &made, const llvm::Function &like);

/// True if instruction sets allow inlining: the caller may use all instructions that the callee may
/// use.
bool may_inline(const llvm::Function &callee, const llvm::Function &caller);

} // namespace sartor::compiler

#endif
