// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/reserve.h"

#include <atomic>
#include <cstddef>

#include <sys/mman.h>

namespace sartor::base {

namespace {

// Never touched: it counts towards limits, but takes no memory.
constexpr std::size_t kBytes = 2U << 20;

std::atomic<void *> reserve = nullptr;

} // namespace

bool keep_reserve() noexcept {
  if (reserve.load(std::memory_order_relaxed))
    return true;
  void *fresh = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (fresh == MAP_FAILED)
    return false;
  void *none = nullptr;
  if (!reserve.compare_exchange_strong(none, fresh))
    munmap(fresh, kBytes); // another thread was faster
  return true;
}

void use_reserve() noexcept {
  if (void *mine = reserve.exchange(nullptr))
    munmap(mine, kBytes);
}

} // namespace sartor::base
