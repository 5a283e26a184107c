// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_WATCH_DRIFT_H
#define SARTOR_TUNER_WATCH_DRIFT_H

#include <cstddef>
#include <optional>
#include <vector>

#include "tuner/watch/batches.h"
#include "tuner/watch/costs.h"
#include "tuner/watch/page_test.h"
#include "tuner/watch/watch_budget.h"

namespace sartor {

/// A slow race of what is in force against its rival: tells a changed workload from a noisy
/// machine.
///
/// Other tenants, clock rates and caches move what a request costs, but they move it for all
/// variants; a workload that what is in force was not made for lets it lose ground to its rival. So
/// both are compared by pairs of slices, in *checks* of some seconds: the first ones learn what is
/// usual, later ones are made as the budget allows, and at once when the cost of a request has
/// moved (a *suspicion*). Ground that is surely lost is a change; so is a rival that is surely
/// better.
///
/// For use by one thread. Takes no time of its own: the caller measures.
class Drift {
public:
  /// What the caller shall do next.
  enum class Next : unsigned char {
    beat,    ///< Give a beat.
    pair,    ///< Give a pair.
    changed, ///< Nothing any more: the workload has changed.
  };
  enum class Reason : unsigned char { lost_ground, rival_is_better };

  struct Options {
    bool has_rival = true;   ///< Without one, nothing is ever found.
    double tolerance = 0.01; ///< By how much a rival may be better for good.
    double budget = 0.005;   ///< ExplorerOptions::watch_budget.
  };

  explicit Drift(const Options &options);

  [[nodiscard]] Next next() const;

  /// What a request costs now. `seconds` is the time since the last beat or pair. No number, or
  /// none that is positive, says nothing.
  void beat(double cost, double seconds);
  void pair(const Costs::Pair &pair, double seconds);

  /// True from a suspicion to its end.
  [[nodiscard]] bool suspects() const { return suspects_; }
  [[nodiscard]] std::size_t suspicions() const { return suspicions_; }
  /// How often all that is known was looked at without a change: when enough was known first, then
  /// after every few batches, and at the end of a suspicion.
  [[nodiscard]] std::size_t checks() const { return checks_; }
  /// Pairs taken in all.
  [[nodiscard]] std::size_t pairs() const { return taken_; }
  /// Seconds of the budget that they took.
  [[nodiscard]] double spent() const { return budget_.spent(); }
  [[nodiscard]] Reason reason() const { return reason_; }
  /// Whether the rival did better in the last check, for all that is known.
  [[nodiscard]] bool rival_leads() const { return rival_leads_; }
  /// What a request cost before the last suspicion, and in the last beats.
  [[nodiscard]] double before() const;
  [[nodiscard]] double now() const;

  /// Time has passed in which nothing was read.
  void pass(double seconds);

private:
  void watch_cost();
  void suspect(std::size_t since);
  void end_suspicion();
  void end_batch();
  [[nodiscard]] bool is_rival_better();
  void change(Reason why);
  [[nodiscard]] bool has_learnt() const;

  const Options options_;
  WatchBudget budget_;
  ErrorBudget errors_;
  bool changed_ = false;
  Reason reason_ = Reason::lost_ground;
  bool rival_leads_ = false;

  Batches usual_;                 ///< Logarithms of what is in force over its rival.
  std::vector<double> batch_;     ///< Pairs of the batch under way.
  std::vector<double> rivals_;    ///< What the rival cost in them.
  double error_of_next_ = 0;      ///< With which a change may wrongly be found to begin with it.
  std::size_t changed_since_ = 0; ///< Batches before the change.
  bool is_busy_ = false;          ///< The last beat had requests.
  double since_pair_ = 0;         ///< Seconds.
  std::size_t fruitless_ = 0;     ///< In a row.
  std::size_t rest_ = 0;          ///< Beats in which there is to be no pair.
  std::size_t taken_ = 0;

  std::vector<double> beats_; ///< Logarithms of those that make the next of the costs.
  Batches costs_;             ///< While nothing was suspected.
  double recent_ = 0;
  std::optional<PageTest> cost_moved_;
  double limit_; ///< Evidence that makes a suspicion.
  bool suspects_ = false;
  std::size_t suspected_since_ = 0; ///< The batch, counted from the first of all.
  std::size_t suspicions_ = 0;
  std::size_t checks_ = 0;
};

} // namespace sartor

#endif
