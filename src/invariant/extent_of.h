// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_INVARIANT_EXTENT_OF_H
#define SARTOR_INVARIANT_EXTENT_OF_H

#include <cstddef>
#include <cstdint>

#include "request/promised_memory.h"

namespace sartor::invariant {

/// The end of what is too large to be anywhere lies before its beginning, which is refused.
inline specialize::Extent extent_of(const void *memory, std::size_t size) {
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  return {address, address + size};
}

} // namespace sartor::invariant

#endif
