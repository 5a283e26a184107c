// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dispatch/retire.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#define _LGPL_SOURCE
#include <urcu/urcu-bp.h>

namespace sartor::dispatch {

namespace {

// What read_section.hpp takes for granted of liburcu.
static_assert(offsetof(struct urcu_bp_reader, ctr) == offsetof(detail::UrcuReader, nesting));
static_assert(offsetof(struct urcu_bp_gp, ctr) == offsetof(detail::UrcuGracePeriod, counter));
static_assert(URCU_BP_GP_CTR_NEST_MASK == detail::kUrcuNestingMask && URCU_BP_GP_COUNT == 1);

struct Retired {
  rcu_head head; // first: liburcu hands back its address
  std::shared_ptr<const void> object;
  std::atomic<bool> complete{false};
};

// liburcu orders retire() before drop() before wait_for_retired(), but ThreadSanitizer cannot see
// into liburcu; hence `complete` and this.
std::atomic<std::uint64_t> dropped{0};
// Likewise, what was read before wait_for_readers() returns.
std::atomic<std::uint64_t> readings{0};

void drop(rcu_head *head) {
  auto *retired = reinterpret_cast<Retired *>(head);
  retired->complete.load(std::memory_order_acquire);
  delete retired;
  dropped.fetch_add(1, std::memory_order_release);
}

} // namespace

void retire(std::shared_ptr<const void> object) {
  if (!object)
    return;
  auto *retired = new Retired{{}, std::move(object)};
  retired->complete.store(true, std::memory_order_release);
  urcu_bp_call_rcu(&retired->head, drop);
}

void wait_for_retired() {
  urcu_bp_barrier();
  dropped.load(std::memory_order_acquire);
}

void wait_for_readers() {
  urcu_bp_synchronize_rcu();
  readings.load(std::memory_order_acquire);
}

Reading::~Reading() { readings.fetch_add(1, std::memory_order_release); }

bool inside_handler() { return urcu_bp_read_ongoing() != 0; }

} // namespace sartor::dispatch
