// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/facts_in_force.h"

#include "runtime/impl.h"

namespace sartor {

bool RuntimeFacts::anything_leans_on(std::uint64_t promise) const {
  const base::MutexLock lock(impl_.mutex);
  return impl_.leaning_entries.contains(promise);
}

bool RuntimeFacts::is_renewing() const { return impl_.renewals > 0; }

} // namespace sartor
