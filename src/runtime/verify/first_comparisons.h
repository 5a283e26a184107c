// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_VERIFY_FIRST_COMPARISONS_H
#define SARTOR_RUNTIME_VERIFY_FIRST_COMPARISONS_H

#include <stop_token>

#include <sartor/runtime.hpp>

namespace sartor {

/// The comparisons of the first calls of a runtime's active variants with the native code. They
/// make the variants slower, so that measurements wait until they have been made.
class FirstComparisons {
public:
  explicit FirstComparisons(Runtime &runtime) : impl_(*runtime.impl_) {}

  /// Waits until they have been made, or take so little of the time that they do not matter, e.g.
  /// because the handlers are seldom called. Returns false if stopped before.
  [[nodiscard]] bool wait(const std::stop_token &stop) const;

private:
  Runtime::Impl &impl_;
};

} // namespace sartor

#endif
