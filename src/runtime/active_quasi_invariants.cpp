// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/active_quasi_invariants.h"

#include "runtime/impl.h"

namespace sartor {

bool RuntimeQuasiInvariants::has_dependents(std::uint64_t invariant) const {
  const base::MutexLock lock(impl_.mutex);
  return impl_.dependent_entries.contains(invariant);
}

bool RuntimeQuasiInvariants::is_renewing() const { return impl_.renewals > 0; }

} // namespace sartor
