// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runtime part of sartor_blocking (points.h).
#include "base/thread/blocking.h"

#include <atomic>
#include <cstdint>

#include "base/readers.h"

namespace sartor::base {

namespace {

std::atomic<unsigned long> breaks = 0;

} // namespace

void note_invalidation() { breaks.fetch_add(1, std::memory_order_seq_cst); }

} // namespace sartor::base

extern "C" {

struct sartor_blocked {
  unsigned long left; ///< True if the thread counts as blocked.
  unsigned long breaks;
};

void sartor_begin_blocking(sartor_blocked *blocked, void *frame) {
  using sartor::base::Left;
  blocked->breaks = sartor::base::breaks.load(std::memory_order_acquire);
  const Left left = sartor::base::leave_to_block(reinterpret_cast<std::uintptr_t>(frame));
  blocked->left = left == Left::not_at_all ? 0 : 1;
  if (left == Left::late) // the thread that has begun the grace period may already have counted its
                          // invalidation
    --blocked->breaks;
}

// Returns nonzero if the calling code may depend on something that was invalidated.
int sartor_end_blocking(sartor_blocked *blocked) {
  if (blocked->left == 0)
    return 0;
  blocked->left = 0;
  sartor::base::come_back();
  return sartor::base::breaks.load(std::memory_order_acquire) == blocked->breaks ? 0 : 1;
}
}
