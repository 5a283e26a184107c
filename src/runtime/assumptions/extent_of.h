// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_ASSUMPTIONS_EXTENT_OF_H
#define SARTOR_RUNTIME_ASSUMPTIONS_EXTENT_OF_H

#include <cstddef>
#include <cstdint>

#include "core/request/invariant_memory.h"

namespace sartor::runtime {

/// The extent of an object. If the size is too large for any memory, the end wraps around to before
/// the beginning, and the extent is refused later.
inline core::Extent extent_of(const void *memory, std::size_t size) {
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  return {address, address + size};
}

} // namespace sartor::runtime

#endif
