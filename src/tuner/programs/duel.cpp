// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/programs/duel.h"

#include <cmath>
#include <limits>

#include "tuner/evidence/interval.h"
#include "tuner/evidence/paired_test.h"
#include "tuner/limits.h"

namespace sartor {

namespace {

/// Probability of a wrong verdict.
constexpr double kErrorProbability = 0.05;
/// A gain that is known to be less than this, as a logarithm, is a tie.
constexpr double kTolerance = 0.01;
/// Minimum duration of a window in cycles: 10 to 30 microseconds, of which reading the clock is a
/// hundredth.
constexpr double kWindow = 50'000;
/// Number of pairs without a verdict after which it is a tie.
constexpr std::size_t kMostPairs = 1000;

} // namespace

void Duel::begin_pair() {
  pair_ = {};
  first_ = (random_() & 1) != 0 ? Side::challenger : Side::active;
  first_done_ = false;
}

void Duel::add(std::uint64_t window, std::uint64_t work, std::uint64_t time) {
  if (window != window_ || verdict_ != Verdict::open || work == 0 || time == 0)
    return;
  Window &mine = pair_[static_cast<std::size_t>(turn())];
  mine.work += static_cast<double>(work);
  mine.time += static_cast<double>(time);
  if (mine.time < kWindow)
    return;
  ++window_;
  if (first_done_)
    end_pair();
  else
    first_done_ = true;
}

void Duel::end_pair() {
  const auto speed = [&](Side side) {
    const Window &window = pair_[static_cast<std::size_t>(side)];
    return window.work / window.time;
  };
  if (is_warm_)
    advantages_.push_back(advantage(speed(Side::challenger), speed(Side::active)));
  is_warm_ = true;
  begin_pair();
  // A look sorts all pairs, so looks become rarer as their number grows.
  if (advantages_.size() < next_look_)
    return;
  next_look_ += 1 + next_look_ / limits::rounds_with_a_look;
  look();
}

void Duel::look() {
  const PairedTest test = always_valid_mean(advantages_);
  if (test.at_least(kErrorProbability) > 0)
    verdict_ = Verdict::faster;
  else if (test.at_most(kErrorProbability) < kTolerance || advantages_.size() >= kMostPairs)
    verdict_ = Verdict::not_faster;
}

Estimate Duel::gain() const {
  if (advantages_.empty())
    return {0, -1, std::numeric_limits<double>::infinity(), 0};
  const auto [mean, low, high, pairs] = always_valid_mean(advantages_).estimate(kErrorProbability);
  return {std::expm1(mean), std::expm1(low), std::expm1(high), pairs};
}

} // namespace sartor
