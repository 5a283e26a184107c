// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_FRONTEND_KERNEL_H
#define SARTOR_COMPILER_FRONTEND_KERNEL_H

#include <llvm/IR/Module.h>

#include "base/result.h"

namespace sartor::compiler {

/// Whether a module's code runs in Linux's kernel, as BPF.
bool is_for_kernel(const llvm::Module &module);

/// Readies a module for being specialized: marks raised, simplified. What the kernel is told of
/// types and of fields that lie elsewhere in another kernel stays in it. Fails as raise_marks().
Result<void> adopt_kernel_module(llvm::Module &module);

/// Whether a variable has a place of its own in an object for the kernel, so that all objects made
/// of one source must have it there: a map, a variable, the licence.
bool has_kernel_place(const llvm::GlobalVariable &variable);

/// Has LLVM leave those variables where they are, and as they are.
void keep_kernel_places(llvm::Module &module);

} // namespace sartor::compiler

#endif
