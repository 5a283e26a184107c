// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_FRONTEND_TARGET_H
#define SARTOR_COMPILER_FRONTEND_TARGET_H

#include <llvm/IR/Module.h>

namespace sartor::compiler {

/// Has all functions of a module compiled for this machine: the host's instructions and, after
/// them, what the native code says of its own. So what that may use, variants may use (a kernel
/// behind a check of the processor), and what it must not use or must harden, they must not and do
/// too. Rounding stays the native code's: a product and a sum that are two instructions there are
/// not fused.
///
/// Vectors that are wider than the native code's registers are passed otherwise where registers are
/// wider. Functions that exchange such vectors with native code, and what they call, are left as
/// the native code is.
void target_this_machine(llvm::Module &module);

/// Compiles `made`, which goes along with `like`, for the same instructions and hardened alike.
void target_like(llvm::Function &made, const llvm::Function &like);

/// Whether a call may be replaced by the callee's code as far as instructions go: the caller may
/// use all that the callee may.
bool may_inline(const llvm::Function &callee, const llvm::Function &caller);

} // namespace sartor::compiler

#endif
