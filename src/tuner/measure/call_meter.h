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

/// Measures by the calls of one handler, whose entry rotates the variants; a score is calls by the
/// ticks that they took, all together. A slice is a few rounds, of all threads together, in each of
/// which every variant has a batch. The rotation goes on between measurements, and what it gives
/// meanwhile is used.
class CallMeter final : public Meter {
public:
  struct Options {
    double regression_budget = 0.05;
    double error_probability = 0.05; ///< That a trial is cut short wrongly.
    double tolerance = 0.01;
    /// How long to wait for calls to come.
    std::chrono::microseconds longest_slice{500'000};
    std::size_t rounds = 8; ///< Of a slice.
  };

  CallMeter(std::unique_ptr<CallRotation> rotation, const Options &options)
      : rotation_(std::move(rotation)), options_(options) {}

  void set_incumbent(const Configuration &configuration) override;
  /// The same of one that is in force already, as far as the handler goes.
  void hold_against(const Configuration &in_force);
  [[nodiscard]] std::size_t most_at_once() const override { return runtime::kMostLanes - 1; }
  /// Trials fail where nobody calls the handler for `longest_slice`; a `not_called` event says so.
  std::optional<std::vector<Trial>> measure(std::span<const Configuration> configurations,
                                            std::size_t slices,
                                            const std::stop_token &stop) override;
  /// A block is as many ticks of each variant's calls as the incumbent's took in `block` at first;
  /// what is over counts for the next.
  std::optional<std::vector<Trial>> measure_blocks(std::span<const Configuration> configurations,
                                                   std::chrono::nanoseconds block,
                                                   const std::stop_token &stop) override;

  /// The parts of measure(), for whoever has more to do meanwhile: begins,
  void begin(std::span<const Configuration> configurations, std::size_t slices);
  /// ... takes what threads have measured, and says whether that is enough or no more will come,
  bool look();
  /// ... and tells what came of it.
  std::vector<Trial> finish();
  /// Whether nobody has called the handler since begin().
  [[nodiscard]] bool is_silent() const { return is_silent_; }
  /// Calls of the handler, by all threads, since the rotation began, and when that was. Nothing
  /// while there is none.
  struct Calls {
    std::uint64_t count;
    std::chrono::steady_clock::time_point since;
  };
  [[nodiscard]] std::optional<Calls> calls() const;
  /// The program's time.
  [[nodiscard]] std::chrono::steady_clock::time_point now() const { return rotation_->now(); }

private:
  using Clock = std::chrono::steady_clock;
  struct Lane {
    Configuration configuration;
    bool failed = false;
    bool out = false; ///< Gets no turns.
    bool cut = false; ///< ... because it is surely worse.
  };
  /// A measurement under way.
  struct Measurement {
    std::vector<Configuration> configurations;
    std::size_t slices = 1;
    std::optional<std::chrono::nanoseconds> block{}; ///< Blocks are measured, not slices.
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
  void score_slice(Trial &trial, std::size_t lane) const;
  void score_slices(Trial &trial, std::size_t lane);
  void score_block(Trial &trial, std::size_t lane);
  void log_failure(const Configuration &configuration, const Failure &failure) const;

  std::unique_ptr<CallRotation> rotation_;
  const Options options_;
  Configuration incumbent_;
  std::vector<Lane> lanes_; ///< Of the rotation that is on; the incumbent first. Empty: none is.
  Clock::time_point rotating_since_;
  Measurement now_;
  CallRecord record_;
  std::vector<runtime::RotationSample> samples_; ///< Room for what threads give.
  bool is_silent_ = false; ///< The handler was not called, and the event log knows.
  double block_ticks_ = 0; ///< 0: not known yet.
  /// What blocks have left over, for the next.
  std::unordered_map<Configuration, Sample> over_;
  double incumbent_score_ = 0; ///< The latest.
  /// Scores of trials of several slices, all on the scale of the first incumbent.
  std::unordered_map<Configuration, double> scale_;
  double first_ = 0; ///< The first of them.
};

} // namespace sartor

#endif
