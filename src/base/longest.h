// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BASE_LONGEST_H
#define SARTOR_BASE_LONGEST_H

#include <algorithm>
#include <chrono>

namespace sartor::base {

/// Practically for ever. Adding it, or ten times it, overflows no clock.
constexpr std::chrono::nanoseconds kLongest = std::chrono::hours(24 * 365 * 10);

/// Clamps durations that the program sets; applied once, where they are checked.
constexpr std::chrono::nanoseconds at_longest(std::chrono::nanoseconds duration) {
  return std::min(duration, kLongest);
}

} // namespace sartor::base

#endif
