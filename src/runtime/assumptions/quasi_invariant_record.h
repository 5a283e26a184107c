// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_ASSUMPTIONS_QUASI_INVARIANT_RECORD_H
#define SARTOR_RUNTIME_ASSUMPTIONS_QUASI_INVARIANT_RECORD_H

#include <chrono>
#include <cstdint>

namespace sartor::runtime {

/// The history of a quasi-invariant since its benefit was last estimated. An invalidation that
/// comes while it is set aside counts like any other, and so does the time until then.
struct QuasiInvariantRecord {
  std::chrono::steady_clock::time_point since{};
  std::chrono::nanoseconds held_for{};
  std::uint64_t held = 0;
  std::uint64_t invalidated = 0;
  // The number of timed invalidations, the sum of the writers' waiting times in seconds, and the
  // sum of their squares.
  std::uint64_t timed = 0;
  double invalidating = 0;
  double invalidating_squares = 0;
  // The variants that depend on it: their number, and the time spent making them.
  std::uint64_t made = 0;
  std::chrono::nanoseconds making{};

  void add_invalidation(std::chrono::nanoseconds took) {
    const double seconds = std::chrono::duration<double>(took).count();
    ++timed;
    invalidating += seconds;
    invalidating_squares += seconds * seconds;
  }
};

} // namespace sartor::runtime

#endif
