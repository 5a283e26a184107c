// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "explore/window.h"

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
    return Reading{mean, std::chrono::duration<double>(elapsed).count()};
  }
}

} // namespace

std::optional<Reading> read_window(const Objective &objective, const WindowLength &length,
                                   double hopeless_below, const std::stop_token &stop) {
  if (objective.kind == Objective::Kind::gauge)
    return read_gauge(objective, length, stop);
  CounterWindow window(length, Clock::now(), objective.read());
  while (!window.over(hopeless_below)) {
    std::this_thread::sleep_for(window.nap());
    if (stop.stop_requested())
      return std::nullopt;
    window.read(Clock::now(), objective.read());
  }
  return window.reading();
}

double score_of(const Objective &objective, double value) {
  if (objective.direction == Objective::Direction::higher_is_better)
    return value;
  return 1 / std::max(value, std::numeric_limits<double>::min());
}

} // namespace sartor
