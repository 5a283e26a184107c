// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/dispatch/dependency.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "base/thread/mutex.h"

namespace sartor::runtime {

namespace {

struct Counts {
  base::Mutex mutex;
  std::unordered_map<std::uint64_t, std::size_t> by_invariant SARTOR_GUARDED_BY(mutex);
  std::size_t of_any SARTOR_GUARDED_BY(mutex) = 0;
};

Counts &counts() {
  // Never destroyed: code may be removed while the process exits.
  static auto *instance = new Counts;
  return *instance;
}

} // namespace

Dependency::Dependency(std::vector<std::uint64_t> invariants) : invariants_(std::move(invariants)) {
  if (invariants_.empty())
    return;
  const base::MutexLock lock(counts().mutex);
  for (const std::uint64_t invariant : invariants_)
    ++counts().by_invariant[invariant];
}

Dependency::~Dependency() {
  if (invariants_.empty())
    return;
  const base::MutexLock lock(counts().mutex);
  for (const std::uint64_t invariant : invariants_)
    if (auto count = counts().by_invariant.find(invariant); --count->second == 0)
      counts().by_invariant.erase(count);
}

Dependency::Dependency(Dependency &&other) noexcept
    : invariants_(std::exchange(other.invariants_, {})) {}

Dependency &Dependency::operator=(Dependency &&other) noexcept {
  std::swap(invariants_, other.invariants_);
  return *this;
}

DependencyOnAny::DependencyOnAny() {
  const base::MutexLock lock(counts().mutex);
  ++counts().of_any;
}

DependencyOnAny::~DependencyOnAny() {
  const base::MutexLock lock(counts().mutex);
  --counts().of_any;
}

bool has_dependents(std::span<const std::uint64_t> invariants) {
  const base::MutexLock lock(counts().mutex);
  return counts().of_any > 0 || std::ranges::any_of(invariants, [](std::uint64_t invariant) {
           counts().mutex.assert_held();
           return counts().by_invariant.contains(invariant);
         });
}

} // namespace sartor::runtime
