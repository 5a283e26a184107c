// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_CHANGE_DETECTION_COST_CHANGE_DETECTOR_H
#define SARTOR_TUNER_CHANGE_DETECTION_COST_CHANGE_DETECTOR_H

#include <cstddef>
#include <vector>

#include "tuner/change_detection/batches.h"
#include "tuner/change_detection/change_test.h"
#include "tuner/change_detection/costs.h"
#include "tuner/change_detection/detection_budget.h"
#include "tuner/limits.h"

namespace sartor {

/// A slow race of the active configuration against its rival, which distinguishes a changed
/// workload from a noisy machine.
///
/// Other tenants, clock rates and caches change the cost of a request, but for all variants alike.
/// Under a workload for which the active variant was not chosen, it loses ground to its rival. So
/// both are compared by pairs of samples, in *checks* of some seconds. The first checks learn the
/// usual ratio. Later ones are made as the budget allows, and at once when the cost of a request
/// has moved (a *warning*). Ground that is surely lost is a change; so is a rival that is surely
/// better.
///
/// For use by one thread. Takes no measurements itself: the caller does.
class CostChangeDetector {
public:
  /// The next step of the caller.
  enum class Next : unsigned char {
    sample,  ///< Pass a sample.
    pair,    ///< Pass a pair.
    changed, ///< Stop: the workload has changed.
  };
  enum class Reason : unsigned char { lost_ground, rival_is_better };

  struct Options {
    bool has_rival = true;   ///< Without one, no change is found.
    double tolerance = 0.01; ///< Lead of a rival that is tolerated for good.
    double budget = 0.005;   ///< ExplorerOptions::detection_budget.
  };

  explicit CostChangeDetector(const Options &options);

  [[nodiscard]] Next next() const;

  /// Adds the current cost of a request. `seconds` is the time since the last sample or pair. A
  /// cost that is not a positive number is ignored.
  void sample(double cost, double seconds);
  void pair(const Costs::Pair &pair, double seconds);

  /// True from a warning to its end.
  [[nodiscard]] bool is_warned() const { return warned_; }
  [[nodiscard]] std::size_t warnings() const { return warnings_; }
  /// Number of evaluations of all evidence that found no change: when the usual ratio is first
  /// known, then after every few batches, and at the end of a warning.
  [[nodiscard]] std::size_t checks() const { return checks_; }
  /// Number of all pairs taken.
  [[nodiscard]] std::size_t pairs() const { return taken_; }
  /// Seconds of the budget that the pairs took.
  [[nodiscard]] double spent() const { return budget_.spent(); }
  [[nodiscard]] Reason reason() const { return reason_; }
  /// True if the rival did better in the last check, by all that is known.
  [[nodiscard]] bool rival_leads() const { return rival_leads_; }
  /// Cost of a request before the last warning, and in the last samples.
  [[nodiscard]] double before() const;
  [[nodiscard]] double now() const;

  /// Accounts for time in which nothing was sampled.
  void pass(double seconds);

private:
  void update_cost_evidence();
  void warn(std::size_t since);
  void end_warning();
  void end_batch();
  [[nodiscard]] bool is_rival_better();
  void change(Reason why);
  [[nodiscard]] bool has_learnt() const;

  const Options options_;
  DetectionBudget budget_;
  ErrorBudget errors_;
  bool changed_ = false;
  Reason reason_ = Reason::lost_ground;
  bool rival_leads_ = false;

  Batches usual_;                 ///< Logarithms of the active cost over the rival's.
  std::vector<double> batch_;     ///< Pairs of the current batch.
  std::vector<double> rivals_;    ///< Costs of the rival in these pairs.
  double error_of_next_ = 0;      ///< Error probability of a change that begins with the next
                                  ///< batch.
  std::size_t changed_since_ = 0; ///< Batches before the change.
  bool is_busy_ = false;          ///< The last sample had requests.
  double since_pair_ = 0;         ///< In seconds.
  std::size_t fruitless_ = 0;     ///< Consecutive pairs without a number.
  std::size_t rest_ = 0;          ///< Samples to take before the next pair.
  std::size_t taken_ = 0;

  std::vector<double> cost_samples_; ///< Logarithms of the samples of the next batch of costs.
  Batches costs_;                    ///< Costs while there is no warning.
  double recent_ = 0;
  /// Evidence by the distance of a cost from the usual one. 0: not known since the last warning.
  double cost_weight_ = 0;
  ChangeTest cost_moved_{limits::warning_threshold}; ///< Causes a warning.
  bool warned_ = false;
  std::size_t warned_since_ = 0; ///< Number of the batch, counted from the first.
  std::size_t warnings_ = 0;
  std::size_t checks_ = 0;
};

} // namespace sartor

#endif
