// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_MEASURE_RUNNING_PROGRAM_H
#define SARTOR_TUNER_MEASURE_RUNNING_PROGRAM_H

#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include <sartor/objective.hpp>
#include <sartor/runtime.hpp>

#include "tuner/measure/window_meter.h"
#include "tuner/objective/tally.h"
#include "tuner/objective/window.h"

namespace sartor {

/// This process, with handlers that a Runtime specializes. What it is made from must outlive it.
class RunningProgram final : public MeasuredProgram {
public:
  RunningProgram(Runtime &runtime, const Objective &objective, const WindowLength &slice)
      : runtime_(runtime), objective_(objective), slice_(slice) {}

  /// Throws what Runtime::specialize() does.
  void put_in_force(const Configuration &configuration) override {
    runtime_.specialize(configuration);
  }
  /// Throws what the objective's functions do, and bad_objective where a count goes back again and
  /// again: a reading in which one does is made anew (event `set_back`).
  std::optional<Reading> read_slice(std::chrono::nanoseconds at_least, double hopeless_below,
                                    const std::stop_token &stop) override;
  std::optional<Reading> rest(std::chrono::nanoseconds long_enough,
                              const std::stop_token &stop) override;
  void set_guard(Guard guard) override { guard_ = std::move(guard); }

private:
  [[nodiscard]] WindowLength at_least_as_long(std::chrono::nanoseconds as) const;
  std::optional<Reading> read(const WindowLength &length, double hopeless_below,
                              const std::stop_token &stop);
  std::optional<Reading> read_once(const WindowLength &length, double hopeless_below,
                                   const std::stop_token &stop);
  void tell_of_set_back(const std::string &of) const;

  Runtime &runtime_;
  const Objective &objective_;
  const WindowLength slice_;
  /// Where the last reading ended, and the counter.
  std::optional<std::pair<std::chrono::steady_clock::time_point, double>> last_;
  Guard guard_;
  double step_ = 0; ///< By how much the counter moves at a time.
};

} // namespace sartor

#endif
