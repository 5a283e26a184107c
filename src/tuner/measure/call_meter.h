// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_MEASURE_CALL_METER_H
#define SARTOR_TUNER_MEASURE_CALL_METER_H

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include <sartor/objective.hpp>

#include "runtime/dispatch/call_rotation.h"
#include "tuner/measure/call_record.h"
#include "tuner/measure/meter.h"

namespace sartor {

/// Measures calls of one handler, whose entry rotates the variants; a score is the number of calls
/// by their ticks, in total. A sample is a few rounds, of all threads together, in each of which
/// every variant has a batch. The rotation goes on between measurements, and its results are used.
class CallMeter final : public Meter {
public:
  struct Options {
    double regression_budget = 0.05;
    double error_probability = 0.05; ///< Probability that a trial is cut short wrongly.
    double tolerance = 0.01;
    /// How long to wait for calls.
    std::chrono::microseconds longest_sample_time{500'000};
    std::size_t rounds = 8; ///< Rounds of a sample.
  };

  CallMeter(std::unique_ptr<CallRotation> rotation, const Options &options)
      : rotation_(std::move(rotation)), options_(options) {}

  void set_incumbent(const Configuration &configuration) override;
  /// As set_incumbent(), if the handler's variant of this configuration is already active.
  void hold_against(const Configuration &active);
  [[nodiscard]] std::size_t most_at_once() const override { return runtime::kMostLanes - 1; }
  /// Trials fail if no thread calls the handler for `longest_sample_time`; a `not_called` event
  /// reports it.
  std::optional<std::vector<Trial>> measure(std::span<const Configuration> configurations,
                                            std::size_t sample_count,
                                            const std::stop_token &stop) override;
  /// A block is as many ticks of each variant's calls as the incumbent's took in `block` at first;
  /// the excess counts for the next block.
  std::optional<std::vector<Trial>> measure_blocks(std::span<const Configuration> configurations,
                                                   std::chrono::nanoseconds block,
                                                   const std::stop_token &stop) override;

  /// measure() in steps, for callers that work meanwhile. begin() starts a measurement.
  void begin(std::span<const Configuration> configurations, std::size_t sample_count);
  /// Collects the threads' measurements. True if they are enough or no more will come.
  bool look();
  /// Returns the trials of the measurement.
  std::vector<Trial> finish();
  /// True if no thread has called the handler since begin().
  [[nodiscard]] bool is_silent() const { return is_silent_; }
  /// Number of calls of the handler, by all threads, since the rotation began, and the time when it
  /// began. Empty if there is no rotation.
  struct Calls {
    std::uint64_t count;
    std::chrono::steady_clock::time_point since;
  };
  [[nodiscard]] std::optional<Calls> calls() const;
  /// The time in the program's clock.
  [[nodiscard]] std::chrono::steady_clock::time_point now() const { return rotation_->now(); }

private:
  using Clock = std::chrono::steady_clock;
  struct Lane {
    Configuration configuration;
    bool failed = false;
    bool out = false; ///< Gets no turns,
    bool cut = false; ///< ... because it is surely worse.
  };
  /// The current measurement.
  struct Measurement {
    std::vector<Configuration> configurations;
    std::size_t sample_count = 1;
    std::optional<std::chrono::nanoseconds> block{}; ///< If set, blocks are measured instead of
                                                     ///< samples.
    Clock::time_point began{}, heard{};
    int restarts = 0;
  };

  void begin(Measurement measurement);
  std::optional<std::vector<Trial>> wait(const std::stop_token &stop);
  [[nodiscard]] std::optional<std::size_t> lane_of(const Configuration &configuration) const;
  [[nodiscard]] bool has_lanes() const;
  bool start();
  void let_run();
  void set_out(std::size_t lane, bool is_out);
  [[nodiscard]] bool has(std::size_t rounds) const;
  [[nodiscard]] bool has_block();
  [[nodiscard]] bool is_waited_for(std::size_t lane) const;
  void cut_short(std::size_t lane);
  [[nodiscard]] Sample pending(std::size_t lane) const;
  [[nodiscard]] Trial trial_of(const Configuration &configuration);
  void score_sample(Trial &trial, std::size_t lane) const;
  void score_samples(Trial &trial, std::size_t lane);
  void score_block(Trial &trial, std::size_t lane);
  void log_failure(const Configuration &configuration, const Failure &failure) const;

  std::unique_ptr<CallRotation> rotation_;
  const Options options_;
  Configuration incumbent_;
  std::vector<Lane> lanes_; ///< Lanes of the current rotation, the incumbent first. Empty: there is
                            ///< none.
  Clock::time_point rotating_since_;
  Measurement now_;
  CallRecord record_;
  std::vector<runtime::RotationSample> samples_; ///< Buffer for samples taken from the threads.
  bool is_silent_ = false; ///< The handler was not called, which has been logged.
  double block_ticks_ = 0; ///< 0: not known yet.
  /// Excess of the last blocks, which counts for the next ones.
  std::unordered_map<Configuration, Sample> over_;
  double incumbent_score_ = 0; ///< The latest.
  /// Scores of trials of several samples, all on the scale of the first incumbent.
  std::unordered_map<Configuration, double> scale_;
  double first_ = 0; ///< The first of them.
};

} // namespace sartor

#endif
