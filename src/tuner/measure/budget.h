// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_MEASURE_BUDGET_H
#define SARTOR_TUNER_MEASURE_BUDGET_H

#include <algorithm>

namespace sartor {

/// What exploring has cost the program, against what it may: a share of what the program would have
/// done in the same time under the best configuration known. For use by one thread.
class RegressionBudget {
public:
  /// With a share of 1, anything may be lost.
  explicit RegressionBudget(double share) : share_(share) {}

  /// A stretch of time in which the program did `relative` times as much as it would have under the
  /// best known. Gains are set off against losses before them, but not saved for losses to come.
  void spend(double seconds, double relative) {
    seconds_ += seconds;
    lost_ = std::max(lost_ + seconds * (1 - relative), 0.0);
  }

  [[nodiscard]] bool exceeded() const { return lost_ > share_ * seconds_; }
  /// Seconds without loss after which no more than the budget is spent.
  [[nodiscard]] double due() const { return lost_ / share_ - seconds_; }
  /// Lost work, as seconds of work under the best known.
  [[nodiscard]] double lost() const { return lost_; }
  [[nodiscard]] double seconds() const { return seconds_; }

private:
  double share_;
  double seconds_ = 0;
  double lost_ = 0;
};

} // namespace sartor

#endif
