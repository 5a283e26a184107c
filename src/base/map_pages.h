// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BASE_MAP_PAGES_H
#define SARTOR_BASE_MAP_PAGES_H

#include <cstddef>

#include <sys/mman.h>

namespace sartor::base {

/// Zeroed memory in separate pages; null if the system refuses. May be called in signal handlers.
inline void *map_pages(std::size_t size) {
  void *memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

} // namespace sartor::base

#endif
