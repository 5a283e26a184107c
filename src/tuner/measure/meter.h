// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_MEASURE_METER_H
#define SARTOR_TUNER_MEASURE_METER_H

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <thread>
#include <vector>

#include <sartor/strategy.hpp>

namespace sartor {

/// Measures configurations of a running program, by windows of its objective or by calls of one
/// handler. Keeps to the regression budget by itself. For use by one thread.
class Meter {
public:
  virtual ~Meter() = default;

  /// What is in force between trials, and what trials are paired with; the best known so far. Puts
  /// it in force.
  virtual void set_incumbent(const Configuration &configuration) = 0;
  /// Learns how well the incumbent does, if that is not known, while nothing takes time from the
  /// program. False if stopped. Throws what measure() does.
  virtual bool know_incumbent(const std::stop_token & /*stop*/) { return true; }
  /// How many configurations can be measured side by side, at least 1.
  [[nodiscard]] virtual std::size_t most_at_once() const = 0;
  /// Measures configurations, all different and compiled, in `slices` slices each, interleaved; one
  /// trial for each, in their order. A configuration that is surely worse than the incumbent gets
  /// fewer. Nothing if stopped. Throws what the objective's functions do.
  virtual std::optional<std::vector<Trial>> measure(std::span<const Configuration> configurations,
                                                    std::size_t slices,
                                                    const std::stop_token &stop) = 0;
  /// The same by one reading each that lasts at least so long and is never cut off, however little
  /// comes of it; a part of that for what is known to do less than half of what the incumbent does.
  virtual std::optional<std::vector<Trial>>
  measure_blocks(std::span<const Configuration> configurations, std::chrono::nanoseconds block,
                 const std::stop_token &stop) = 0;
  /// How long the objective is known to lag behind a switch; that much is left out. What was
  /// measured while less was known of it is worth nothing.
  [[nodiscard]] virtual std::chrono::nanoseconds lag() const { return {}; }
  /// Whether trials that break a bound of the objective are ended, as they are at first, or
  /// measured like others from now on: all do.
  virtual void regard_bounds(bool /*regard*/) {}
  /// Waits, with the incumbent in force, for what is done for the exploration meanwhile and takes
  /// time from the program, such as a compile. False if stopped before. Throws what measure() does.
  virtual bool wait_for(const std::function<bool()> &done, const std::stop_token &stop) {
    while (!done()) {
      if (stop.stop_requested())
        return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
  }
};

} // namespace sartor

#endif
