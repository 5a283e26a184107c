// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_MEASURE_RUNNING_PROGRAM_H
#define SARTOR_TUNER_MEASURE_RUNNING_PROGRAM_H

#include <chrono>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include <sartor/objective.hpp>
#include <sartor/runtime.hpp>

#include "tuner/measure/window_meter.h"
#include "tuner/objective/tally.h"
#include "tuner/objective/window.h"

namespace sartor {

/// This process, with handlers that a Runtime specializes. The constructor's arguments must outlive
/// it.
class RunningProgram final : public MeasuredProgram {
public:
  /// Waits until a sample can begin. Returns false if stopped before.
  using Ready = std::function<bool(const std::stop_token &stop)>;

  RunningProgram(
      Runtime &runtime, const Objective &objective, const WindowLength &sample,
      Ready ready = [](const std::stop_token &) { return true; })
      : runtime_(runtime), objective_(objective), sample_time_(sample), ready_(std::move(ready)) {}

  /// Throws what Runtime::specialize() throws.
  void activate(const Configuration &configuration) override { runtime_.specialize(configuration); }
  /// Throws what the objective's functions throw, and bad_objective if a count decreases again and
  /// again. A sample in which a count decreases is repeated (event `set_back`).
  std::optional<ObjectiveSample> read_sample(std::chrono::nanoseconds at_least,
                                             double hopeless_below,
                                             const std::stop_token &stop) override;
  std::optional<ObjectiveSample> rest(std::chrono::nanoseconds long_enough,
                                      const std::stop_token &stop) override;
  void set_guard(Guard guard) override { guard_ = std::move(guard); }

private:
  [[nodiscard]] WindowLength at_least_as_long(std::chrono::nanoseconds as) const;
  std::optional<ObjectiveSample> read(const WindowLength &length, double hopeless_below,
                                      const std::stop_token &stop);
  std::optional<ObjectiveSample> read_once(const WindowLength &length, double hopeless_below,
                                           const std::stop_token &stop);
  void report_set_back(const std::string &of) const;

  Runtime &runtime_;
  const Objective &objective_;
  const WindowLength sample_time_;
  const Ready ready_;
  /// Time and counter at the end of the last sample.
  std::optional<std::pair<std::chrono::steady_clock::time_point, double>> last_;
  Guard guard_;
  double step_ = 0; ///< Size of a counter's step.
};

} // namespace sartor

#endif
