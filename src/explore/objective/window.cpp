// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "explore/objective/window.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <thread>

namespace sartor {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::nanoseconds;
using namespace std::chrono_literals;

std::optional<Reading> read_gauge(const Objective &objective, const WindowLength &length,
                                  const std::stop_token &stop) {
  const auto start = Clock::now();
  const auto nap = std::clamp<nanoseconds>(length.shortest / 10, 100us, 5ms);
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
    if (elapsed < length.shortest || (readings == 0 && elapsed < length.longest))
      continue;
    const double mean = readings == 0 ? std::numeric_limits<double>::quiet_NaN()
                                      : sum / static_cast<double>(readings);
    return Reading{mean, std::chrono::duration<double>(elapsed).count(), mean,
                   static_cast<double>(std::max<std::size_t>(readings, 1))};
  }
}

/// Lasts as a window of `per` would: a ratio says nothing before that has moved.
std::optional<Reading> read_ratio(const Objective &objective, const WindowLength &length,
                                  const std::stop_token &stop) {
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
  }
  const double ratio =
      by > 0 ? (objective.read() - before) / by : std::numeric_limits<double>::quiet_NaN();
  return Reading{ratio, window.reading().seconds, ratio, std::max(by, 0.0)};
}

} // namespace

std::optional<Reading> read_window(const Objective &objective, const WindowLength &length,
                                   double hopeless_below, const std::stop_token &stop,
                                   double *step) {
  if (objective.kind == Objective::Kind::gauge)
    return read_gauge(objective, length, stop);
  if (objective.kind == Objective::Kind::ratio)
    return read_ratio(objective, length, stop);
  const double count = objective.read();
  CounterWindow window(length, Clock::now(), count, step ? *step : 0);
  while (!window.over(hopeless_below)) {
    std::this_thread::sleep_for(window.nap());
    if (stop.stop_requested())
      return std::nullopt;
    window.read(Clock::now(), objective.read());
  }
  if (step)
    *step = window.step();
  return window.reading();
}

double score_of(const Objective &objective, double value) {
  if (objective.direction == Objective::Direction::higher_is_better)
    return value;
  return 1 / std::max(value, std::numeric_limits<double>::min());
}

Reading score_of(const Objective &objective, const Reading &reading) {
  const bool is_inverted = objective.direction == Objective::Direction::lower_is_better;
  return {score_of(objective, reading.value), reading.seconds, score_of(objective, reading.average),
          is_inverted ? reading.weight * std::max(reading.value, 0.0) : reading.weight};
}

} // namespace sartor
