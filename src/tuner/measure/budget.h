// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_MEASURE_BUDGET_H
#define SARTOR_TUNER_MEASURE_BUDGET_H

#include <algorithm>

namespace sartor {

/// Compares the cost of exploring to the program with its limit: a share of the work that the
/// program would have done in the same time under the best-known configuration. For use by one
/// thread.
class RegressionBudget {
public:
  /// With a share of 1, there is no limit.
  explicit RegressionBudget(double share) : share_(share) {}

  /// Adds a period in which the program did `relative` times the work that it would have done under
  /// the best-known configuration. Gains compensate earlier losses, but are not saved for later
  /// losses.
  void spend(double seconds, double relative) {
    seconds_ += seconds;
    lost_ = std::max(lost_ + seconds * (1 - relative), 0.0);
  }

  [[nodiscard]] bool exceeded() const { return lost_ > share_ * seconds_; }
  /// Seconds without loss after which the cost is within the budget.
  [[nodiscard]] double due() const { return lost_ / share_ - seconds_; }
  /// Lost work, as seconds of work under the best-known configuration.
  [[nodiscard]] double lost() const { return lost_; }
  [[nodiscard]] double seconds() const { return seconds_; }

private:
  double share_;
  double seconds_ = 0;
  double lost_ = 0;
};

} // namespace sartor

#endif
