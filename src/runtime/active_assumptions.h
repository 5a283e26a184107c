// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_ACTIVE_ASSUMPTIONS_H
#define SARTOR_RUNTIME_ACTIVE_ASSUMPTIONS_H

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>

#include <sartor/runtime.hpp>

#include "base/thread/mutex.h"

namespace sartor {

struct RuntimeEntry;

/// The invariants that the active code of a runtime's entries depends on, and those that labels of
/// fast paths are tied to. Thread-safe. Its lock is taken after the runtime's, and no other one
/// under it.
class ActiveAssumptions {
public:
  /// Records a change in the invariants that an entry depends on, before or after it happens. Both
  /// lists are sorted.
  void change(RuntimeEntry &entry, std::span<const std::uint64_t> before,
              std::span<const std::uint64_t> after);
  /// Returns the entries whose code depends on an invariant, and forgets that they do.
  std::set<RuntimeEntry *> take_dependents(std::uint64_t invariant);
  [[nodiscard]] bool has_dependents(std::uint64_t invariant) const;

  void tie(const std::string &label, std::uint64_t invariant);
  void untie(std::uint64_t invariant);
  [[nodiscard]] std::optional<std::uint64_t> tied_to(const std::string &label) const;

private:
  mutable base::Mutex mutex_;
  std::unordered_map<std::uint64_t, std::set<RuntimeEntry *>> dependents_ SARTOR_GUARDED_BY(mutex_);
  /// Invariants by label.
  std::map<std::string, std::uint64_t> ties_ SARTOR_GUARDED_BY(mutex_);
};

/// A view of an active runtime for estimating the benefit of a quasi-invariant. Thread-safe.
class RuntimeQuasiInvariants {
public:
  explicit RuntimeQuasiInvariants(const Runtime &runtime) : impl_(*runtime.impl_) {}

  /// True if the active code of an entry depends on the invariant.
  [[nodiscard]] bool has_dependents(std::uint64_t invariant) const;
  /// True if code is being made, or activated, because quasi-invariants were invalidated or are
  /// valid again.
  [[nodiscard]] bool is_renewing() const;

private:
  Runtime::Impl &impl_;
};

} // namespace sartor

#endif
