// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_FRONTEND_KERNEL_KERNEL_H
#define SARTOR_COMPILER_FRONTEND_KERNEL_KERNEL_H

#include <optional>

#include <llvm/IR/Module.h>

#include "base/result.h"
#include "core/request/kernel_memory.h"

namespace sartor::compiler {

/// True if a module's code is BPF code for the Linux kernel.
bool is_for_kernel(const llvm::Module &module);

/// Prepares a module for specialization: raises marks and simplifies. Type information for the
/// kernel and relocatable field accesses (CO-RE) are preserved. Fails as raise_marks().
Result<void> adopt_kernel_module(llvm::Module &module);

/// True if a variable has a place of its own in a kernel object, so that all objects made from one
/// source must have it there: a map, a variable, the license.
bool has_kernel_place(const llvm::GlobalVariable &variable);

/// Prevents LLVM from moving or changing those variables.
void keep_kernel_places(llvm::Module &module);

/// Describes a map of a kernel object, without content, from the types in its declaration (libbpf's
/// `__uint`, `__type`). Nothing if the variable is no map, or is a map whose content does not fold.
std::optional<core::KernelMap> kernel_map_of(const llvm::GlobalVariable &variable);

} // namespace sartor::compiler

#endif
