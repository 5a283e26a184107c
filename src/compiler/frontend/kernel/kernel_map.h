// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_FRONTEND_KERNEL_KERNEL_MAP_H
#define SARTOR_COMPILER_FRONTEND_KERNEL_KERNEL_MAP_H

#include <optional>

#include <llvm/IR/GlobalVariable.h>

#include "core/request/kernel_memory.h"

namespace sartor::compiler {

/// Describes a map of a kernel object, without content, from the types in its declaration (libbpf's
/// `__uint`, `__type`). Nothing if the variable is no map, or is a map whose content does not fold.
std::optional<core::KernelMap> kernel_map_of(const llvm::GlobalVariable &variable);

} // namespace sartor::compiler

#endif
