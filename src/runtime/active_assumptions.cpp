// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/active_assumptions.h"

#include <algorithm>
#include <utility>

#include "runtime/impl.h"

namespace sartor {

// Most invariants stay the same when code changes.
void ActiveAssumptions::change(RuntimeEntry &entry, std::span<const std::uint64_t> before,
                               std::span<const std::uint64_t> after) {
  const base::MutexLock lock(mutex_);
  for (const std::uint64_t invariant : before)
    if (!std::ranges::binary_search(after, invariant))
      if (auto known = dependents_.find(invariant); known != dependents_.end()) {
        known->second.erase(&entry);
        if (known->second.empty())
          dependents_.erase(known);
      }
  for (const std::uint64_t invariant : after)
    if (!std::ranges::binary_search(before, invariant))
      dependents_[invariant].insert(&entry);
}

std::set<RuntimeEntry *> ActiveAssumptions::take_dependents(std::uint64_t invariant) {
  const base::MutexLock lock(mutex_);
  auto known = dependents_.extract(invariant);
  return known ? std::move(known.mapped()) : std::set<RuntimeEntry *>();
}

bool ActiveAssumptions::has_dependents(std::uint64_t invariant) const {
  const base::MutexLock lock(mutex_);
  return dependents_.contains(invariant);
}

void ActiveAssumptions::tie(const std::string &label, std::uint64_t invariant) {
  const base::MutexLock lock(mutex_);
  ties_[label] = invariant;
}

void ActiveAssumptions::untie(std::uint64_t invariant) {
  const base::MutexLock lock(mutex_);
  std::erase_if(ties_, [&](const auto &tie) { return tie.second == invariant; });
}

std::optional<std::uint64_t> ActiveAssumptions::tied_to(const std::string &label) const {
  const base::MutexLock lock(mutex_);
  const auto known = ties_.find(label);
  return known == ties_.end() ? std::nullopt : std::optional(known->second);
}

bool RuntimeQuasiInvariants::has_dependents(std::uint64_t invariant) const {
  return impl_.assumptions.has_dependents(invariant);
}

bool RuntimeQuasiInvariants::is_renewing() const { return impl_.renewals > 0; }

} // namespace sartor
