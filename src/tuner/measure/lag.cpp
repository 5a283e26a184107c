// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/measure/lag.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "tuner/evidence/interval.h"
#include "tuner/limits.h"

namespace sartor {

void Lag::add(const AfterSwitch &measured) {
  const auto &[before, usual, first, rest] = measured;
  const std::array<double, 4> scores{before, usual, first, rest};
  const bool have_one_sign = std::ranges::all_of(scores, [](double score) { return score > 0; }) ||
                             std::ranges::all_of(scores, [](double score) { return score < 0; });
  if (is_known_ || !have_one_sign)
    return;
  const double apart = times_as_good(before, usual) - 1;
  if (std::fabs(apart) < limits::lag_apart)
    return;
  // A single sample disturbed by neighbours must not outweigh all others.
  const double like_before =
      std::clamp(times_as_good(first, rest) - 1, -1.0, 1.0) * (apart > 0 ? 1 : -1);
  all_.add(like_before);
  (apart > 0 ? from_better_ : from_worse_).add(like_before);
  // A lag shows in both directions of a switch; a load that swings in step with the switches does
  // not.
  if (all_.measured_samples < limits::lag_samples || !all_.is_surely_positive(limits::lag_sure) ||
      !from_better_.is_surely_positive(limits::lag_likely) ||
      !from_worse_.is_surely_positive(limits::lag_likely))
    return;
  head_ = std::clamp(2 * head_, limits::least_lag, limits::most_lag);
  all_ = from_better_ = from_worse_ = {};
}

void Lag::Likeness::add(double measured) {
  ++measured_samples;
  sum += measured;
  squares += measured * measured;
}

bool Lag::Likeness::is_surely_positive(double errors) const {
  if (measured_samples < 2)
    return false;
  const auto n = static_cast<double>(measured_samples);
  const double mean = sum / n;
  return mean > errors * std::sqrt(std::max(squares / n - mean * mean, 0.0) / n);
}

} // namespace sartor
