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

/// A running program as a WindowMeter sees it. For use by one thread.
class MeasuredProgram {
public:
  virtual ~MeasuredProgram() = default;
  virtual void put_in_force(const Configuration &configuration) = 0;
  /// Reads the objective over one slice, or for `at_least` so long, as scores. One that surely
  /// stays below `hopeless_below` may be cut off. Nothing if stopped. A reading's `seconds` and
  /// `average` are since the one before: what is done between slices costs the program something,
  /// too.
  virtual std::optional<Reading> read_slice(std::chrono::nanoseconds at_least,
                                            double hopeless_below, const std::stop_token &stop) = 0;
  /// Reads the objective, as scores, over at least so long, in which the program is left alone.
  /// Nothing if stopped.
  virtual std::optional<Reading> rest(std::chrono::nanoseconds long_enough,
                                      const std::stop_token &stop) = 0;
  /// Whether what the objective's bounds came to in a slice so far is enough to end it.
  using Guard = std::function<bool(std::span<const BoundReading>)>;
  /// From now on slices are ended as soon as the guard says so; none: they are not.
  virtual void set_guard(Guard /*guard*/) {}
};

/// Measures by slices of the objective of the whole program, one configuration at a time. Keeps to
/// the regression budget by letting the program rest under the incumbent between slices. What the
/// program does in these rests is what all else is held against: other variants, compiles, and the
/// explorer's own work.
class WindowMeter final : public Meter {
public:
  struct Options {
    double regression_budget = 0.05;
    double error_probability = 0.05; ///< That a trial is cut short wrongly.
    std::uint64_t seed = 1;          ///< Of the order within pairs.
    /// How long the objective lags behind a switch; nothing: that is found out.
    std::optional<std::chrono::nanoseconds> settle = {};
    /// What is measured; none: scores as they are, without bounds.
    const Objective *objective = nullptr;
  };

  /// `program` and the objective must outlive it.
  WindowMeter(MeasuredProgram &program, const Options &options);

  void set_incumbent(const Configuration &configuration) override;
  bool know_incumbent(const std::stop_token &stop) override;
  [[nodiscard]] std::size_t most_at_once() const override { return 1; }
  std::optional<std::vector<Trial>> measure(std::span<const Configuration> configurations,
                                            std::size_t slices,
                                            const std::stop_token &stop) override;
  std::optional<std::vector<Trial>> measure_blocks(std::span<const Configuration> configurations,
                                                   std::chrono::nanoseconds block,
                                                   const std::stop_token &stop) override;
  bool wait_for(const std::function<bool()> &done, const std::stop_token &stop) override;

  [[nodiscard]] std::chrono::nanoseconds lag() const override { return lag_.head(); }
  void regard_bounds(bool regard) override { regards_bounds_ = regard; }
  [[nodiscard]] const RegressionBudget &budget() const { return budget_; }

private:
  template <class Measure>
  std::optional<std::vector<Trial>> measure_each(std::span<const Configuration> configurations,
                                                 const std::stop_token &stop,
                                                 const Measure &measure);

  /// What a configuration scores, as far as it is known.
  class Level {
  public:
    explicit Level(std::size_t most = limits::slices_remembered) : most_(most) {}
    void add(double score);
    [[nodiscard]] std::size_t size() const { return latest_.size(); }
    /// Of the latest slices, 0 if there are none; a glitch does not count.
    [[nodiscard]] double mean() const;
    /// The median: neighbours on the machine come for a moment and go.
    [[nodiscard]] double usual() const;
    [[nodiscard]] double noise() const; ///< The deviation of a slice's log score.

  private:
    std::size_t most_;
    std::deque<double> latest_;
  };

  std::optional<Reading> slice(const Configuration &configuration,
                               std::chrono::nanoseconds at_least, bool may_be_cut,
                               const std::stop_token &stop);
  std::optional<Trial> measure_one(const Configuration &configuration,
                                   std::chrono::nanoseconds at_least, bool may_be_cut,
                                   const std::stop_token &stop);
  std::optional<Trial> measure_block(const Configuration &configuration,
                                     std::chrono::nanoseconds block, const std::stop_token &stop);
  std::optional<Trial> finish(const Configuration &configuration, const Reading &reading,
                              const std::stop_token &stop);
  bool settle(const Configuration &configuration, const std::stop_token &stop);
  std::optional<Trial> measure_paired(const Configuration &configuration, std::size_t slices,
                                      const std::stop_token &stop);
  bool pay(std::vector<Sample> &samples, const std::stop_token &stop);
  std::optional<Sample> rest(std::chrono::nanoseconds long_enough, const std::stop_token &stop);
  bool measure_incumbent(std::vector<Sample> &samples, const std::stop_token &stop);
  [[nodiscard]] bool is_out(const Configuration &configuration) const;
  [[nodiscard]] double pair_noise() const;
  /// By a bound that holds however often one looks, at the error of each candidate by itself: who
  /// is cut short is nominated less, and what is nominated is confirmed at an error of its own.
  [[nodiscard]] bool surely_worse(const std::vector<double> &advantages) const;
  void score_paired(Trial &trial, const std::vector<double> &advantages,
                    std::span<const Sample> ours, std::span<const Sample> theirs);
  void spend(const Reading &reading);
  void check_number(double value);
  void put_in_force(const Configuration &configuration);

  MeasuredProgram &program_;
  const Options options_;
  const Evidence evidence_;
  int without_number_ = 0; ///< Slices of the incumbent, one after the other.
  Guardrail guardrail_;
  bool regards_bounds_ = true;
  RegressionBudget budget_;
  std::mt19937_64 random_;
  Configuration incumbent_;
  std::optional<Configuration> in_force_, before_; ///< Now, and before that.
  std::chrono::nanoseconds in_force_for_{};
  std::unordered_map<Configuration, Level> levels_;
  Level rested_;        ///< What the incumbent scores in rests.
  Lag lag_;             ///< Of what blocks show.
  bool settled_ = true; ///< No call of a candidate's is under way any more.
  /// Scores of trials of several slices, all on the scale of the first incumbent.
  std::unordered_map<Configuration, double> scale_;
  double first_ = 0; ///< The first of them.
};

} // namespace sartor

#endif
