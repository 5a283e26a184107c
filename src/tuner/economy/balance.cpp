// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/economy/balance.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tuner/limits.h"

namespace sartor {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Product in which zero times infinity is zero.
double times(double one, double other) { return one == 0 || other == 0 ? 0 : one * other; }

/// Product of two estimates. `other` is not negative.
Estimate product(const Estimate &one, const Estimate &other) {
  return {times(one.mean, other.mean), times(one.low, one.low < 0 ? other.high : other.low),
          times(one.high, one.high < 0 ? other.low : other.high), one.windows};
}

/// Seconds saved by a call that took `cost`, if the objective grows by the share `gain`.
double saved(double cost, double gain) {
  return gain > -1 ? cost * (1 - 1 / (1 + gain)) : -kInfinity;
}

Estimate invalidating(const runtime::QuasiInvariantRecord &record, double error_probability) {
  const auto n = static_cast<double>(record.timed);
  if (record.timed == 0)
    return {0, 0, kInfinity, 0};
  const double mean = record.invalidating / n;
  const double variance =
      n > 1 ? std::max(record.invalidating_squares - n * mean * mean, 0.0) / (n - 1) : 0;
  const double radius =
      n > 1 ? always_valid_radius(variance, n, n - 1, error_probability) : kInfinity;
  return {mean, std::max(mean - radius, 0.0), mean + radius, record.timed};
}

/// Bound for the expected number of invalidations when `came` were counted: the value at which the
/// probability of so few (or so many) has fallen to `error_probability`.
double expected(double came, double error_probability, bool is_most) {
  const double enough = std::log(1 / error_probability);
  const auto distance = [&](double x) {
    return x - came + (came > 0 ? came * std::log(came / x) : 0);
  };
  double near = came, far = is_most ? 2 * came + 2 * enough : 0;
  for (int i = 0; i < limits::halvings; ++i) {
    const double middle = (near + far) / 2;
    (distance(middle) < enough ? near : far) = middle;
  }
  return far;
}

std::string what_is_missing(const Economy &economy) {
  if (economy.gain.windows > 0 && economy.gain.low < 0 && economy.gain.high > 0)
    return "the interval of the gain is too wide";
  if (economy.invalidated == 0)
    return "it has not been valid long enough to estimate how often it is invalidated";
  return "benefit and cost are too close for the intervals";
}

} // namespace

Estimate seconds_between(std::uint64_t invalidations, double seconds, double error_probability) {
  const auto came = static_cast<double>(invalidations);
  const double each = error_probability / 2;
  return {invalidations == 0 ? seconds : seconds / came, seconds / expected(came, each, true),
          invalidations == 0 ? kInfinity : seconds / expected(came, each, false), 0};
}

void balance(Economy &economy, const QuasiInvariantEvidence &seen, BalanceError error) {
  const runtime::QuasiInvariantRecord &record = seen.record;
  const double each = error.probability / kTerms;
  economy.invalidated = record.invalidated;
  economy.held = record.held;
  economy.made = record.made;
  economy.seconds_valid = std::chrono::duration<double>(record.held_for).count();
  economy.processors = seen.processors;

  const double without = seen.calls_without > 0 ? seen.calls_without : 1;
  const double with = seen.gain && seen.calls_with > 0 ? seen.calls_with : without;
  const double cost = seen.processors > 0 ? seen.processors / without : kInfinity;
  economy.calls_per_second = with;
  // Without a measurement, the bounds are those of code that takes no time at all.
  economy.gain = seen.gain.value_or(Estimate{0, -1, kInfinity, 0});
  economy.gain_per_call = {saved(cost, economy.gain.mean), saved(cost, economy.gain.low),
                           saved(cost, economy.gain.high), economy.gain.windows};
  if (!seen.gain)
    economy.gain_per_call = {0, -kInfinity, cost, 0};

  const Estimate between =
      seconds_between(record.invalidated, economy.seconds_valid, each / error.looks);
  economy.calls_between_invalidations = {times(with, between.mean), times(with, between.low),
                                         times(with, between.high), 0};
  economy.benefit = product(economy.gain_per_call, economy.calls_between_invalidations);

  economy.specializing = std::chrono::duration<double>(record.making).count() /
                         static_cast<double>(std::max<std::uint64_t>(record.held, 1));
  const double guarding = seen.asked * seen.asking;
  economy.guarding = {times(guarding, between.mean), times(guarding, between.low),
                      times(guarding, between.high), 0};
  economy.invalidating = invalidating(record, each);
  const auto sum = [&](double Estimate::*end) {
    return economy.specializing + economy.guarding.*end + economy.invalidating.*end;
  };
  economy.cost = {sum(&Estimate::mean), sum(&Estimate::low), sum(&Estimate::high), 0};

  // Guarding costs accrue as long as the benefit does; the rest of the benefit has to pay for
  // specializing and invalidating.
  const double least = times(with, economy.gain_per_call.low) - guarding;
  const double most = times(with, economy.gain_per_call.high) - guarding;
  economy.worth =
      least > 0 && times(least, between.low) > economy.specializing + economy.invalidating.high
          ? Worth::worth_it
      : most <= 0 || times(most, between.high) < economy.specializing + economy.invalidating.low
          ? Worth::not_worth_it
          : Worth::not_sure;
  economy.missing = economy.worth == Worth::not_sure ? what_is_missing(economy) : "";
}

} // namespace sartor
