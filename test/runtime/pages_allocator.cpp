// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An allocator with one lock, which a test can hold.
#include <cstdlib>
#include <mutex>
#include <new>

#include "pages.h"

std::mutex allocator_lock;

#ifndef SARTOR_TEST_OTHERS_ALLOCATOR
void *operator new(std::size_t size) {
  const std::lock_guard lock(allocator_lock);
  if (void *memory = std::malloc(size))
    return memory;
  throw std::bad_alloc();
}

void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, std::size_t) noexcept { std::free(memory); }
#endif
