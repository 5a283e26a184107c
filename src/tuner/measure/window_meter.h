// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_MEASURE_WINDOW_METER_H
#define SARTOR_TUNER_MEASURE_WINDOW_METER_H

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <optional>
#include <random>
#include <span>
#include <unordered_map>

#include "tuner/evidence/evidence.h"
#include "tuner/limits.h"
#include "tuner/measure/budget.h"
#include "tuner/measure/guardrail.h"
#include "tuner/measure/lag.h"
#include "tuner/measure/meter.h"
#include "tuner/objective/counter_window.h"

namespace sartor {

/// Interface of a running program for a WindowMeter. For use by one thread.
class MeasuredProgram {
public:
  virtual ~MeasuredProgram() = default;
  virtual void activate(const Configuration &configuration) = 0;
  /// Reads the objective over one sample, at least for `at_least`, as scores. A sample that surely
  /// stays below `hopeless_below` may be cut off. Nothing if stopped. The `seconds` and `average`
  /// of a sample count from the end of the previous one, because work between samples also costs
  /// the program something.
  virtual std::optional<ObjectiveSample> read_sample(std::chrono::nanoseconds at_least,
                                                     double hopeless_below,
                                                     const std::stop_token &stop) = 0;
  /// Reads the objective, as scores, over at least `long_enough`, in which the program is left
  /// alone. Nothing if stopped.
  virtual std::optional<ObjectiveSample> rest(std::chrono::nanoseconds long_enough,
                                              const std::stop_token &stop) = 0;
  /// Returns true if the values of the objective's bounds in a sample so far are enough to end it.
  using Guard = std::function<bool(std::span<const BoundSample>)>;
  /// From now on, a sample is ended as soon as the guard returns true; an empty guard ends none.
  virtual void set_guard(Guard /*guard*/) {}
};

/// Measures by samples of the objective of the whole program, one configuration at a time. Keeps
/// within the regression budget by letting the program rest under the incumbent between samples.
/// The cost of other variants, of compilations and of the explorer's own work is relative to the
/// program's performance in these rests.
class WindowMeter final : public Meter {
public:
  struct Options {
    double regression_budget = 0.05;
    double error_probability = 0.05; ///< Probability that a trial is cut short wrongly.
    std::uint64_t seed = 1;          ///< Seed of the order within pairs.
    /// Lag of the objective after a switch; empty: it is estimated.
    std::optional<std::chrono::nanoseconds> settle = {};
    /// The measured objective; null: scores as they are, without bounds.
    const Objective *objective = nullptr;
  };

  /// `program` and the objective must outlive this object.
  WindowMeter(MeasuredProgram &program, const Options &options);

  void set_incumbent(const Configuration &configuration) override;
  bool know_incumbent(const std::stop_token &stop) override;
  [[nodiscard]] std::size_t most_at_once() const override { return 1; }
  std::optional<std::vector<Trial>> measure(std::span<const Configuration> configurations,
                                            std::size_t sample_count,
                                            const std::stop_token &stop) override;
  std::optional<std::vector<Trial>> measure_blocks(std::span<const Configuration> configurations,
                                                   std::chrono::nanoseconds block,
                                                   const std::stop_token &stop) override;
  bool wait_for(const std::function<bool()> &done, const std::stop_token &stop) override;

  [[nodiscard]] std::chrono::nanoseconds lag() const override { return lag_.head(); }
  [[nodiscard]] std::optional<double>
  hopeless_score(const Configuration &configuration) const override;
  void forget_hopeless() override { hopeless_.clear(); }
  void regard_bounds(bool regard) override { regards_bounds_ = regard; }
  [[nodiscard]] const RegressionBudget &budget() const { return budget_; }

private:
  template <class Measure>
  std::optional<std::vector<Trial>> measure_each(std::span<const Configuration> configurations,
                                                 const std::stop_token &stop,
                                                 const Measure &measure);

  /// Score of a configuration, as far as it is known.
  class Level {
  public:
    explicit Level(std::size_t most = limits::samples_remembered) : most_(most) {}
    void add(double score);
    [[nodiscard]] std::size_t size() const { return latest_.size(); }
    /// Mean of the latest samples, 0 without samples; outliers do not count.
    [[nodiscard]] double mean() const;
    /// The median, which is robust against neighbours on the machine that come and go.
    [[nodiscard]] double usual() const;
    [[nodiscard]] double noise() const; ///< Deviation of a sample's log score, without outliers.
    /// Variance of a sample's log score, outliers included. Requires two samples.
    [[nodiscard]] double variance() const;

  private:
    std::size_t most_;
    std::deque<double> latest_;
  };

  std::optional<ObjectiveSample> sample(const Configuration &configuration,
                                        std::chrono::nanoseconds at_least, bool may_be_cut,
                                        const std::stop_token &stop);
  std::optional<Trial> measure_one(const Configuration &configuration,
                                   std::chrono::nanoseconds at_least, bool may_be_cut,
                                   const std::stop_token &stop);
  std::optional<Trial> measure_block(const Configuration &configuration,
                                     std::chrono::nanoseconds block, const std::stop_token &stop);
  std::optional<Trial> finish(const Configuration &configuration, const ObjectiveSample &measured,
                              const std::stop_token &stop);
  bool settle(const Configuration &configuration, const std::stop_token &stop);
  std::optional<Trial> measure_paired(const Configuration &configuration, std::size_t sample_count,
                                      const std::stop_token &stop);
  bool pay(std::vector<Sample> &samples, const std::stop_token &stop);
  std::optional<Sample> rest(std::chrono::nanoseconds long_enough, const std::stop_token &stop);
  bool measure_incumbent(std::vector<Sample> &samples, const std::stop_token &stop);
  [[nodiscard]] bool is_out(const Configuration &configuration) const;
  [[nodiscard]] double pair_noise() const;
  /// The bound holds however often one looks, at the error of each candidate by itself: cutting a
  /// candidate short only makes its nomination less likely, and nominees are confirmed at an error
  /// of their own.
  [[nodiscard]] bool surely_worse(const std::vector<double> &advantages) const;
  [[nodiscard]] bool surely_hopeless(const std::vector<double> &advantages) const;
  void score_paired(Trial &trial, const std::vector<double> &advantages,
                    std::span<const Sample> ours, std::span<const Sample> theirs);
  void spend(const ObjectiveSample &measured);
  void check_number(double value);
  void activate(const Configuration &configuration);

  MeasuredProgram &program_;
  const Options options_;
  const Evidence evidence_;
  int without_number_ = 0; ///< Consecutive samples of the incumbent.
  Guardrail guardrail_;
  bool regards_bounds_ = true;
  RegressionBudget budget_;
  std::mt19937_64 random_;
  Configuration incumbent_;
  std::optional<Configuration> active_, before_; ///< The active and the previous configuration.
  std::chrono::nanoseconds active_for_{};
  std::unordered_map<Configuration, Level> levels_;
  Level rested_;        ///< Scores of the incumbent in rests.
  Lag lag_;             ///< Estimated from blocks.
  bool settled_ = true; ///< All calls of candidates have ended.
  /// Scores of trials of several samples, all on the scale of the first incumbent.
  std::unordered_map<Configuration, double> scale_;
  double first_ = 0;                                   ///< The first of them.
  std::unordered_map<Configuration, double> hopeless_; ///< See hopeless_score().
};

} // namespace sartor

#endif
