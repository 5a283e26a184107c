// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_EXPLORE_MEASURE_CALL_METER_H
#define SARTOR_EXPLORE_MEASURE_CALL_METER_H

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include <sartor/objective.hpp>

#include "explore/measure/call_record.h"
#include "explore/measure/call_rotation.h"
#include "explore/measure/meter.h"

namespace sartor {

/// Measures by the calls of one handler, whose entry rotates the variants; a score is one over the
/// ticks of a call. A slice is a few rounds, of all threads together, in each of which a variant's
/// batch is held against the incumbent's. The rotation goes on between calls of measure() for the
/// same configurations, or fewer, and what it gives meanwhile is used.
class CallMeter final : public Meter {
public:
  struct Options {
    double regression_budget = 0.05;
    double error_probability = 0.05; ///< That a trial is cut short wrongly.
    double tolerance = 0.01;
    /// How long to wait for calls to come.
    std::chrono::microseconds longest_slice{500'000};
  };

  CallMeter(std::unique_ptr<CallRotation> rotation, const Options &options)
      : rotation_(std::move(rotation)), options_(options) {}

  void set_incumbent(const Configuration &configuration) override;
  [[nodiscard]] std::size_t most_at_once() const override { return dispatch::kMostLanes - 1; }
  /// Trials fail where nobody calls the handler for `longest_slice`; a `not_called` event says so.
  std::optional<std::vector<Trial>> measure(std::span<const Configuration> configurations,
                                            std::size_t slices,
                                            const std::stop_token &stop) override;
  std::optional<std::vector<Trial>> measure_blocks(std::span<const Configuration> configurations,
                                                   std::chrono::nanoseconds block,
                                                   const std::stop_token &stop) override;

private:
  using Clock = std::chrono::steady_clock;
  struct Lane {
    Configuration configuration;
    bool failed = false;
    bool cut = false; ///< Gets no turns any more.
  };

  [[nodiscard]] std::optional<std::size_t> lane_of(const Configuration &configuration) const;
  [[nodiscard]] bool is_rotating(std::span<const Configuration> configurations) const;
  bool start(std::span<const Configuration> configurations);
  void keep_only(std::span<const Configuration> configurations);
  bool gather(std::span<const Configuration> configurations, std::size_t slices,
              const std::stop_token &stop);
  void cut_short(std::size_t lane, std::size_t slices);
  [[nodiscard]] bool is_sure(std::size_t lane, double behind_by) const;
  [[nodiscard]] Trial trial_of(const Configuration &configuration, std::size_t slices);
  [[nodiscard]] double incumbent_score(std::size_t slices);
  void log_failure(const Configuration &configuration, const Failure &failure) const;

  std::unique_ptr<CallRotation> rotation_;
  const Options options_;
  Configuration incumbent_;
  std::vector<Lane> lanes_; ///< Of the rotation that is on; the incumbent first. Empty: none is.
  CallRecord record_;
  std::vector<dispatch::RotationSample> samples_; ///< Room for what threads give.
  bool is_silent_ = false;    ///< The handler was not called, and the event log knows.
  double incumbent_cost_ = 0; ///< Log of its ticks per call, the latest.
  /// Scores of trials of several slices, all on the scale of the first incumbent.
  std::unordered_map<Configuration, double> scale_;
  double first_ = 0; ///< The first of them.
};

} // namespace sartor

#endif
