// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_VERIFY_ALLOCATOR_MEMORY_H
#define SARTOR_RUNTIME_VERIFY_ALLOCATOR_MEMORY_H

#include <array>
#include <cstdint>

#include "runtime/verify/isolated_area.h"

namespace sartor::runtime {

/// The code of the functions that allocate and release memory; null for those that do not exist.
const std::array<unsigned char *, kAllocators> &allocator_functions();

/// True for memory that the allocator may have changed: no variable of a program or library, except
/// of the allocator's.
bool may_be_allocators(std::uintptr_t address);

} // namespace sartor::runtime

#endif
