// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_FRONTEND_KERNEL_MAP_H
#define SARTOR_COMPILER_FRONTEND_KERNEL_MAP_H

#include <optional>

#include <llvm/IR/GlobalVariable.h>

#include "core/request/kernel_memory.h"

namespace sartor::compiler {

/// What a map of an object for the kernel is, by the types that its variable is declared with
/// (libbpf's `__uint`, `__type`), without content. Nothing where it is no map, or one whose content
/// does not fold.
std::optional<core::KernelMap> kernel_map_of(const llvm::GlobalVariable &variable);

} // namespace sartor::compiler

#endif
