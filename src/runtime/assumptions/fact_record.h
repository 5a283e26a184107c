// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_ASSUMPTIONS_FACT_RECORD_H
#define SARTOR_RUNTIME_ASSUMPTIONS_FACT_RECORD_H

#include <chrono>
#include <cstdint>

namespace sartor::runtime {

/// A fact's past since it was last weighed, by which it is weighed. A break that comes while it is
/// set aside counts like any other, and so does the time until then.
struct FactRecord {
  std::chrono::steady_clock::time_point since{};
  std::chrono::nanoseconds held_for{};
  std::uint64_t held = 0;
  std::uint64_t broken = 0;
  // Of breaks, in seconds, how long writers waited, and the squares of that.
  std::uint64_t timed = 0;
  double breaking = 0;
  double breaking_squares = 0;
  // Of variants that lean on it.
  std::uint64_t made = 0;
  std::chrono::nanoseconds making{};

  void add_break(std::chrono::nanoseconds took) {
    const double seconds = std::chrono::duration<double>(took).count();
    ++timed;
    breaking += seconds;
    breaking_squares += seconds * seconds;
  }
};

} // namespace sartor::runtime

#endif
