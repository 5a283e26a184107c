// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "explore/measure/lag.h"

#include <algorithm>
#include <cmath>

namespace sartor {

namespace {

using namespace std::chrono_literals;

/// Readings before anything is said.
constexpr std::size_t enough = 16;
/// Standard errors by which a lag is sure. There is a look after each, and no harm in leaving
/// out too much.
constexpr double sure = 4, likely = 2;
/// What is left out at first, and at most.
constexpr std::chrono::nanoseconds least = 4ms, most = 500ms;
/// Variants closer together show no lag.
constexpr double fewest_apart = 0.005;

} // namespace

void Lag::add(const AfterSwitch &reading) {
  const auto &[before, usual, first, rest] = reading;
  if (is_known_ || !(before > 0 && usual > 0 && first > 0 && rest > 0))
    return;
  const double apart = before / usual - 1;
  if (std::fabs(apart) < fewest_apart)
    return;
  // One reading of neighbours' making must not outweigh all others.
  const double like_before = std::clamp(first / rest - 1, -1.0, 1.0) * (apart > 0 ? 1 : -1);
  all_.add(like_before);
  (apart > 0 ? from_better_ : from_worse_).add(like_before);
  // What is late is late both ways; a load that swings in step with the switches is not.
  if (all_.readings < enough || !all_.is_surely_positive(sure) ||
      !from_better_.is_surely_positive(likely) || !from_worse_.is_surely_positive(likely))
    return;
  head_ = std::clamp(2 * head_, least, most);
  all_ = from_better_ = from_worse_ = {};
}

void Lag::Likeness::add(double reading) {
  ++readings;
  sum += reading;
  squares += reading * reading;
}

bool Lag::Likeness::is_surely_positive(double errors) const {
  if (readings < 2)
    return false;
  const auto n = static_cast<double>(readings);
  const double mean = sum / n;
  return mean > errors * std::sqrt(std::max(squares / n - mean * mean, 0.0) / n);
}

} // namespace sartor
