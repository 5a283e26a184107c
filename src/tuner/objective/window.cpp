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

std::optional<Reading> read_gauge(const Objective &objective, const WindowLength &length,
                                  const std::stop_token &stop, const WindowLook &look) {
  const auto start = Clock::now();
  const auto nap = std::clamp<nanoseconds>(length.shortest / limits::gauge_readings,
                                           limits::gauge_nap, limits::stop_nap);
  double sum = 0;
  std::size_t readings = 0;
  for (;;) {
    std::this_thread::sleep_for(nap);
    if (stop.stop_requested())
      return std::nullopt;
    if (const double value = objective.read(); std::isfinite(value)) {
      sum += value;
      ++readings;
    }
    const auto elapsed = Clock::now() - start;
    if (!is_enough(look) &&
        (elapsed < length.shortest || (readings == 0 && elapsed < length.longest)))
      continue;
    const double mean = readings == 0 ? std::numeric_limits<double>::quiet_NaN()
                                      : sum / static_cast<double>(readings);
    return Reading{.value = mean,
                   .seconds = std::chrono::duration<double>(elapsed).count(),
                   .average = mean,
                   .weight = static_cast<double>(std::max<std::size_t>(readings, 1))};
  }
}

/// Lasts as a window of `per` would: a ratio says nothing before that has moved.
std::optional<Reading> read_ratio(const Objective &objective, const WindowLength &length,
                                  const std::stop_token &stop, const WindowLook &look) {
  const double per_before = objective.per();
  const double before = objective.read();
  CounterWindow window(length, Clock::now(), per_before);
  double by = 0;
  while (!window.over(0)) {
    std::this_thread::sleep_for(window.nap());
    if (stop.stop_requested())
      return std::nullopt;
    const double per = objective.per();
    by = per - per_before;
    window.read(Clock::now(), per);
    if (is_enough(look))
      break;
  }
  const double cost = objective.read() - before;
  const double ratio = by > 0 ? cost / by : std::numeric_limits<double>::quiet_NaN();
  return Reading{.value = ratio,
                 .seconds = window.reading().seconds,
                 .average = ratio,
                 .weight = std::max(by, 0.0),
                 .is_set_back = window.reading().is_set_back || cost < 0};
}

/// Lasts until one request or so is to be expected beyond the percentile. The whole histogram is
/// read a few times at most.
std::optional<Reading> read_percentile(const Objective &objective, const WindowLength &length,
                                       const std::stop_token &stop, const WindowLook &look) {
  const Percentile percentile(objective.buckets.bounds, objective.percent / 100);
  WindowLength longer = length;
  longer.events = std::max(length.events, 1 / percentile.tail());
  const auto before = objective.buckets.counts();
  std::vector<std::uint64_t> now;
  CounterWindow window(longer, Clock::now(), 0);
  const auto nap = std::clamp<nanoseconds>(length.shortest / limits::histogram_readings,
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
  Reading reading{.value = std::numeric_limits<double>::quiet_NaN(),
                  .seconds = window.reading().seconds,
                  .average = std::numeric_limits<double>::quiet_NaN(),
                  .weight = 0,
                  .is_set_back = is_set_back};
  if (is_set_back)
    return reading;
  reading.requests = requests_between(before, now);
  reading.weight = number_of(reading.requests);
  if (reading.weight > 0)
    reading.value = reading.average = percentile.mean(reading.requests);
  return reading;
}

} // namespace

std::optional<Reading> read_window(const Objective &objective, const WindowLength &length,
                                   double hopeless_below, const std::stop_token &stop, double *step,
                                   const WindowLook &look) {
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
  return window.reading();
}

double score_of(const Objective &objective, double value) {
  return objective.direction == Objective::Direction::higher_is_better ? value : -value;
}

namespace {

/// A factor of a weighted objective. Weights are such that the mean of 1/value is one over the mean
/// of the values.
QuantityReading factor_of(const Objective &of, QuantityReading reading) {
  if (!(reading.weight > 0) || std::isnan(reading.value))
    return {std::numeric_limits<double>::quiet_NaN(), 0, std::move(reading.requests)};
  const bool is_low = of.direction == Objective::Direction::lower_is_better;
  if (reading.value < 0 || (is_low && reading.value == 0))
    throw Error({ErrorCode::bad_objective, of.name,
                 "has the value " + std::to_string(reading.value) +
                     ", but a weighted objective multiplies powers of its quantities",
                 "give Objective::weighted() quantities that stay positive, or use subject_to()"});
  if (is_low) {
    reading.weight *= reading.value;
    reading.value = 1 / reading.value;
  }
  return reading;
}

} // namespace

Reading score_of(const Objective &objective, Reading reading) {
  if (objective.quantities.empty()) {
    reading.value = score_of(objective, reading.value);
    reading.average = score_of(objective, reading.average);
    return reading;
  }
  const bool is_low = objective.direction == Objective::Direction::lower_is_better;
  QuantityReading first =
      factor_of(objective, {reading.value, reading.weight, std::exchange(reading.requests, {})});
  double others = 1;
  for (std::size_t i = 0; i < reading.quantities.size(); ++i) {
    const auto &[of, share] = objective.quantities[i + 1];
    reading.quantities[i] = factor_of(*of, std::move(reading.quantities[i]));
    others *= std::pow(reading.quantities[i].value, share);
  }
  const auto with_others = [&](double factor) {
    return std::pow(factor, objective.quantities.front().share) * others;
  };
  reading.value = with_others(first.value);
  reading.average = with_others(is_low ? 1 / reading.average : reading.average);
  reading.weight = first.weight;
  reading.quantities.insert(reading.quantities.begin(), std::move(first));
  return reading;
}

Reading merged(Reading one, const Reading &other) {
  const QuantityReading both =
      merged(QuantityReading{one.value, one.weight, std::move(one.requests)},
             QuantityReading{other.value, other.weight, other.requests});
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
