// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_FORMAT_PAGES_H
#define SARTOR_LOADER_LIB_FORMAT_PAGES_H

#include <stdint.h> // the front has no C++ library

namespace sartor::loader::format {

inline constexpr uint64_t page = 4096;
inline constexpr uint64_t huge_page = uint64_t{2} << 20;

/// `alignment` must be a power of two.
constexpr uint64_t down(uint64_t address, uint64_t alignment = page) {
  return address & -alignment;
}
constexpr uint64_t up(uint64_t address, uint64_t alignment = page) {
  return down(address + alignment - 1, alignment);
}

} // namespace sartor::loader::format

#endif
