// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "explore/watch/change_shift.h"

#include <algorithm>
#include <cmath>

namespace sartor {

namespace {

/// What one sample may add.
constexpr double most_evidence = 1.5;

} // namespace

ShiftTest::ShiftTest(double shift, double deviation, Keep keep)
    : shift_(shift), weight_(shift / (deviation * deviation)), keep_(keep) {}

void ShiftTest::add(double sample) {
  if (!std::isfinite(sample))
    return;
  const auto evidence = [&](double towards) {
    return std::clamp(weight_ * (towards - shift_ / 2), -most_evidence, most_evidence);
  };
  up_ += evidence(sample);
  down_ += evidence(-sample);
  if (keep_ == Keep::positive) {
    up_ = std::max(up_, 0.0);
    down_ = std::max(down_, 0.0);
  }
}

} // namespace sartor
