// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_ASSUMPTIONS_EXTENT_OF_H
#define SARTOR_RUNTIME_ASSUMPTIONS_EXTENT_OF_H

#include <cstddef>
#include <cstdint>

#include "core/request/promised_memory.h"

namespace sartor::runtime {

/// The end of what is too large to be anywhere lies before its beginning, which is refused.
inline core::Extent extent_of(const void *memory, std::size_t size) {
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  return {address, address + size};
}

} // namespace sartor::runtime

#endif
