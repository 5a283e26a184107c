// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BASE_LONGEST_H
#define SARTOR_BASE_LONGEST_H

#include <algorithm>
#include <chrono>

namespace sartor::base {

/// As good as for ever. No clock overflows by adding it, nor ten times it.
constexpr std::chrono::nanoseconds kLongest = std::chrono::hours(24 * 365 * 10);

/// For durations that the program gives, once, where they are checked.
constexpr std::chrono::nanoseconds at_longest(std::chrono::nanoseconds duration) {
  return std::min(duration, kLongest);
}

} // namespace sartor::base

#endif
