// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_ACTIVE_QUASI_INVARIANTS_H
#define SARTOR_RUNTIME_ACTIVE_QUASI_INVARIANTS_H

#include <cstdint>

#include <sartor/runtime.hpp>

namespace sartor {

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
