// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/economy/balance.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tuner/limits.h"

namespace sartor {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Nothing of something endless is nothing.
double times(double one, double other) { return one == 0 || other == 0 ? 0 : one * other; }

/// `other` is not negative.
Estimate product(const Estimate &one, const Estimate &other) {
  return {times(one.mean, other.mean), times(one.low, one.low < 0 ? other.high : other.low),
          times(one.high, one.high < 0 ? other.low : other.high), one.windows};
}

/// What a call takes less, where it took `cost`, if the objective is more by a share.
double saved(double cost, double gain) {
  return gain > -1 ? cost * (1 - 1 / (1 + gain)) : -kInfinity;
}

Estimate breaking(const runtime::FactRecord &record, double error_probability) {
  const auto n = static_cast<double>(record.timed);
  if (record.timed == 0)
    return {0, 0, kInfinity, 0};
  const double mean = record.breaking / n;
  const double variance =
      n > 1 ? std::max(record.breaking_squares - n * mean * mean, 0.0) / (n - 1) : 0;
  const double radius =
      n > 1 ? always_valid_radius(variance, n, n - 1, error_probability) : kInfinity;
  return {mean, std::max(mean - radius, 0.0), mean + radius, record.timed};
}

/// Where x of breaks that are expected in the time is so far from those that came that the
/// probability of as few, or as many, has come down to this.
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
    return "the gain is not known well enough";
  if (economy.broken == 0)
    return "it has not held for long enough to tell how seldom it breaks";
  return "benefit and cost are too close for what is known of them";
}

} // namespace

Estimate seconds_between(std::uint64_t breaks, double seconds, double error_probability) {
  const auto came = static_cast<double>(breaks);
  const double each = error_probability / 2;
  return {breaks == 0 ? seconds : seconds / came, seconds / expected(came, each, true),
          breaks == 0 ? kInfinity : seconds / expected(came, each, false), 0};
}

void balance(Economy &economy, const SeenOfFact &seen, BalanceError error) {
  const runtime::FactRecord &record = seen.record;
  const double each = error.probability / kTerms;
  economy.broken = record.broken;
  economy.held = record.held;
  economy.made = record.made;
  economy.seconds_held = std::chrono::duration<double>(record.held_for).count();
  economy.processors = seen.processors;

  const double without = seen.calls_without > 0 ? seen.calls_without : 1;
  const double with = seen.gain && seen.calls_with > 0 ? seen.calls_with : without;
  const double cost = seen.processors > 0 ? seen.processors / without : kInfinity;
  economy.calls_per_second = with;
  // Where nothing was measured, no code could take less than no time at all.
  economy.gain = seen.gain.value_or(Estimate{0, -1, kInfinity, 0});
  economy.gain_per_call = {saved(cost, economy.gain.mean), saved(cost, economy.gain.low),
                           saved(cost, economy.gain.high), economy.gain.windows};
  if (!seen.gain)
    economy.gain_per_call = {0, -kInfinity, cost, 0};

  const Estimate between = seconds_between(record.broken, economy.seconds_held, each / error.looks);
  economy.calls_between_breaks = {times(with, between.mean), times(with, between.low),
                                  times(with, between.high), 0};
  economy.benefit = product(economy.gain_per_call, economy.calls_between_breaks);

  economy.specializing = std::chrono::duration<double>(record.making).count() /
                         static_cast<double>(std::max<std::uint64_t>(record.held, 1));
  const double guarding = seen.asked * seen.asking;
  economy.guarding = {times(guarding, between.mean), times(guarding, between.low),
                      times(guarding, between.high), 0};
  economy.breaking = breaking(record, each);
  const auto sum = [&](double Estimate::*end) {
    return economy.specializing + economy.guarding.*end + economy.breaking.*end;
  };
  economy.cost = {sum(&Estimate::mean), sum(&Estimate::low), sum(&Estimate::high), 0};

  // Guarding goes on as long as the benefit does: what is left of it has to pay for the rest.
  const double least = times(with, economy.gain_per_call.low) - guarding;
  const double most = times(with, economy.gain_per_call.high) - guarding;
  economy.worth =
      least > 0 && times(least, between.low) > economy.specializing + economy.breaking.high
          ? Worth::worth_it
      : most <= 0 || times(most, between.high) < economy.specializing + economy.breaking.low
          ? Worth::not_worth_it
          : Worth::not_sure;
  if (economy.worth == Worth::not_sure && economy.missing.empty())
    economy.missing = what_is_missing(economy);
}

} // namespace sartor
