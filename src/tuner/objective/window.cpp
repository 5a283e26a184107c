// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/objective/window.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <limits>
#include <thread>
#include <utility>

#include <sartor/error.hpp>

#include "tuner/evidence/limit.h"
#include "tuner/evidence/percentile.h"
#include "tuner/limits.h"
#include "tuner/objective/tally.h"

namespace sartor {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::nanoseconds;

bool is_enough(const WindowLook &look) { return look && look(); }

std::optional<ObjectiveSample> read_gauge(const Objective &objective, const WindowLength &length,
                                          const std::stop_token &stop, const WindowLook &look) {
  const auto start = Clock::now();
  const auto nap = std::clamp<nanoseconds>(length.shortest / limits::gauge_samples,
                                           limits::gauge_nap, limits::stop_nap);
  double sum = 0;
  std::size_t measured_samples = 0;
  for (;;) {
    std::this_thread::sleep_for(nap);
    if (stop.stop_requested())
      return std::nullopt;
    if (const double value = objective.read(); std::isfinite(value)) {
      sum += value;
      ++measured_samples;
    }
    const auto elapsed = Clock::now() - start;
    if (!is_enough(look) &&
        (elapsed < length.shortest || (measured_samples == 0 && elapsed < length.longest)))
      continue;
    const double mean = measured_samples == 0 ? std::numeric_limits<double>::quiet_NaN()
                                              : sum / static_cast<double>(measured_samples);
    return ObjectiveSample{.value = mean,
                           .seconds = std::chrono::duration<double>(elapsed).count(),
                           .average = mean,
                           .weight =
                               static_cast<double>(std::max<std::size_t>(measured_samples, 1))};
  }
}

/// Lasts as long as a window of `per`: a ratio is meaningless before that has moved. Both are taken
/// from the first change of `per` to its last, as those of a CounterWindow.
std::optional<ObjectiveSample> read_ratio(const Objective &objective, const WindowLength &length,
                                          const std::stop_token &stop, const WindowLook &look) {
  struct Reading {
    double per, cost;
  };
  const double per_before = objective.per();
  const double before = objective.read();
  CounterWindow window(length, Clock::now(), per_before);
  double per = per_before;
  std::optional<Reading> first, last;
  while (!window.over(0)) {
    std::this_thread::sleep_for(window.nap());
    if (stop.stop_requested())
      return std::nullopt;
    if (const double now = objective.per(); now != per) {
      per = now;
      last = {per, objective.read()};
      first = first.value_or(*last);
    }
    window.read(Clock::now(), per);
    if (is_enough(look))
      break;
  }
  const double by = per - per_before, cost = objective.read() - before;
  const double average = by > 0 ? cost / by : std::numeric_limits<double>::quiet_NaN();
  const bool has_two_changes = first && last->per > first->per;
  return ObjectiveSample{
      .value = has_two_changes ? (last->cost - first->cost) / (last->per - first->per) : average,
      .seconds = window.measured().seconds,
      .average = average,
      .weight = has_two_changes ? last->per - first->per : std::max(by, 0.0),
      .is_set_back = window.measured().is_set_back || cost < 0};
}

/// Lasts until about one request is expected beyond the percentile. The whole histogram is read a
/// few times at most.
std::optional<ObjectiveSample> read_percentile(const Objective &objective,
                                               const WindowLength &length,
                                               const std::stop_token &stop,
                                               const WindowLook &look) {
  const Percentile percentile(objective.buckets.bounds, objective.percent / 100);
  WindowLength longer = length;
  longer.events = std::max(length.events, 1 / percentile.tail());
  const auto before = objective.buckets.counts();
  std::vector<std::uint64_t> now;
  CounterWindow window(longer, Clock::now(), 0);
  const auto nap = std::clamp<nanoseconds>(length.shortest / limits::histogram_samples,
                                           limits::histogram_nap, limits::stop_nap);
  bool is_set_back = false;
  do {
    std::this_thread::sleep_for(nap);
    if (stop.stop_requested())
      return std::nullopt;
    now = objective.buckets.counts();
    is_set_back = has_less(now, before);
    if (is_set_back)
      break;
    window.read(Clock::now(), number_of(requests_between(before, now)));
  } while (!is_enough(look) && !window.over(0));
  ObjectiveSample measured{.value = std::numeric_limits<double>::quiet_NaN(),
                           .seconds = window.measured().seconds,
                           .average = std::numeric_limits<double>::quiet_NaN(),
                           .weight = 0,
                           .is_set_back = is_set_back};
  if (is_set_back)
    return measured;
  measured.requests = requests_between(before, now);
  measured.weight = number_of(measured.requests);
  if (measured.weight > 0)
    measured.value = measured.average = percentile.mean(measured.requests);
  return measured;
}

} // namespace

std::optional<ObjectiveSample> read_window(const Objective &objective, const WindowLength &length,
                                           double hopeless_below, const std::stop_token &stop,
                                           double *step, const WindowLook &look) {
  if (objective.kind == Objective::Kind::gauge)
    return read_gauge(objective, length, stop, look);
  if (objective.kind == Objective::Kind::ratio)
    return read_ratio(objective, length, stop, look);
  if (objective.kind == Objective::Kind::percentile)
    return read_percentile(objective, length, stop, look);
  const double count = objective.read();
  CounterWindow window(length, Clock::now(), count, step ? *step : 0);
  while (!window.over(hopeless_below)) {
    std::this_thread::sleep_for(window.nap());
    if (stop.stop_requested())
      return std::nullopt;
    window.read(Clock::now(), objective.read());
    if (is_enough(look))
      break;
  }
  if (step)
    *step = window.step();
  return window.measured();
}

double score_of(const Objective &objective, double value) {
  return objective.direction == Objective::Direction::higher_is_better ? value : -value;
}

namespace {

/// A factor of a weighted objective. Weights are such that the mean of 1/value is the reciprocal of
/// the mean of the values.
QuantitySample factor_of(const Objective &of, QuantitySample measured) {
  if (!(measured.weight > 0) || std::isnan(measured.value))
    return {std::numeric_limits<double>::quiet_NaN(), 0, std::move(measured.requests)};
  const bool is_low = of.direction == Objective::Direction::lower_is_better;
  if (measured.value < 0 || (is_low && measured.value == 0))
    throw Error({ErrorCode::bad_objective, of.name,
                 "has the value " + std::to_string(measured.value) +
                     ", but a weighted objective multiplies powers of its quantities",
                 "give Objective::weighted() quantities that stay positive, or use subject_to()"});
  if (is_low) {
    measured.weight *= measured.value;
    measured.value = 1 / measured.value;
  }
  return measured;
}

} // namespace

ObjectiveSample score_of(const Objective &objective, ObjectiveSample measured) {
  if (objective.quantities.empty()) {
    measured.value = score_of(objective, measured.value);
    measured.average = score_of(objective, measured.average);
    return measured;
  }
  const bool is_low = objective.direction == Objective::Direction::lower_is_better;
  QuantitySample first =
      factor_of(objective, {measured.value, measured.weight, std::exchange(measured.requests, {})});
  double others = 1;
  for (std::size_t i = 0; i < measured.quantities.size(); ++i) {
    const auto &[of, share] = objective.quantities[i + 1];
    measured.quantities[i] = factor_of(*of, std::move(measured.quantities[i]));
    others *= std::pow(measured.quantities[i].value, share);
  }
  const auto with_others = [&](double factor) {
    return std::pow(factor, objective.quantities.front().share) * others;
  };
  measured.value = with_others(first.value);
  measured.average = with_others(is_low ? 1 / measured.average : measured.average);
  measured.weight = first.weight;
  measured.quantities.insert(measured.quantities.begin(), std::move(first));
  return measured;
}

ObjectiveSample merged(ObjectiveSample one, const ObjectiveSample &other) {
  const QuantitySample both = merged(QuantitySample{one.value, one.weight, std::move(one.requests)},
                                     QuantitySample{other.value, other.weight, other.requests});
  one.value = both.value;
  one.weight = both.weight;
  one.requests = both.requests;
  one.seconds += other.seconds;
  one.is_set_back = one.is_set_back || other.is_set_back;
  for (std::size_t i = 0; i < std::min(one.quantities.size(), other.quantities.size()); ++i)
    one.quantities[i] = merged(one.quantities[i], other.quantities[i]);
  one.bounds = merged(std::move(one.bounds), other.bounds);
  return one;
}

} // namespace sartor
