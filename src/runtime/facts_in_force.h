// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_FACTS_IN_FORCE_H
#define SARTOR_RUNTIME_FACTS_IN_FORCE_H

#include <cstdint>

#include <sartor/runtime.hpp>

namespace sartor {

/// What who weighs a fact has to know of an active runtime. Thread-safe.
class RuntimeFacts {
public:
  explicit RuntimeFacts(const Runtime &runtime) : impl_(*runtime.impl_) {}

  /// Whether what is in force in some entry leans on the promise.
  [[nodiscard]] bool anything_leans_on(std::uint64_t promise) const;
  /// Whether code is being made, or put in force, because facts have broken or hold again.
  [[nodiscard]] bool is_renewing() const;

private:
  Runtime::Impl &impl_;
};

} // namespace sartor

#endif
