// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dispatch/retire.h"

#include <urcu/urcu-bp.h>

namespace sartor::dispatch {

namespace {

struct Retired {
  rcu_head head; // first: liburcu hands back its address
  VariantRef variant;
};

void drop(rcu_head *head) { delete reinterpret_cast<Retired *>(head); }

} // namespace

void retire(VariantRef variant) {
  if (variant)
    urcu_bp_call_rcu(&(new Retired{{}, std::move(variant)})->head, drop);
}

void wait_for_retired() { urcu_bp_barrier(); }

} // namespace sartor::dispatch
