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
/// handler. Keeps within the regression budget by itself. For use by one thread.
class Meter {
public:
  virtual ~Meter() = default;

  /// Sets and activates the configuration that is active between trials and with which trials are
  /// paired; the best known so far.
  virtual void set_incumbent(const Configuration &configuration) = 0;
  /// Measures the incumbent's performance, if it is not known, while nothing takes time from the
  /// program. False if stopped. Throws what measure() throws.
  virtual bool know_incumbent(const std::stop_token & /*stop*/) { return true; }
  /// Number of configurations that can be measured side by side, at least 1.
  [[nodiscard]] virtual std::size_t most_at_once() const = 0;
  /// Measures configurations, all different and compiled, in `sample_count` samples each,
  /// interleaved; one trial for each, in their order. A configuration that is surely worse than the
  /// incumbent gets fewer samples. Nothing if stopped. Throws what the objective's functions throw.
  virtual std::optional<std::vector<Trial>> measure(std::span<const Configuration> configurations,
                                                    std::size_t sample_count,
                                                    const std::stop_token &stop) = 0;
  /// As measure(), with one sample each that lasts at least `block` and is never cut off, however
  /// little comes of it. A configuration with less than half of the incumbent's score gets a part
  /// of that time.
  virtual std::optional<std::vector<Trial>>
  measure_blocks(std::span<const Configuration> configurations, std::chrono::nanoseconds block,
                 const std::stop_token &stop) = 0;
  /// Known lag of the objective after a switch, which is left out of samples. Samples that were
  /// taken when a shorter lag was known are not valid.
  [[nodiscard]] virtual std::chrono::nanoseconds lag() const { return {}; }
  /// The score of a configuration whose trial was ended after a few samples because it surely stays
  /// below half of the incumbent's score. Nothing for others.
  [[nodiscard]] virtual std::optional<double>
  hopeless_score(const Configuration & /*configuration*/) const {
    return std::nullopt;
  }
  /// Forgets these scores: the workload has changed.
  virtual void forget_hopeless() {}
  /// Sets whether trials that break a bound of the objective are ended, which is the default, or
  /// measured like others, because all configurations break a bound.
  virtual void regard_bounds(bool /*regard*/) {}
  /// Waits with the incumbent active until `done` returns true, for example for a compilation,
  /// which takes time from the program. False if stopped before. Throws what measure() throws.
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
