// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_WATCH_WATCH_BUDGET_H
#define SARTOR_TUNER_WATCH_WATCH_BUDGET_H

#include <algorithm>

#include "tuner/limits.h"
#include "tuner/watch/costs.h"

namespace sartor {

/// What the rival may cost the program while it is watched: a share of the time, saved up for some
/// minutes. For use by one thread.
class WatchBudget {
public:
  explicit WatchBudget(double share) : share_(share) {}

  void earn(double seconds) { saved_ = std::min(saved_ + share_ * seconds, most()); }
  /// For a pair with a rival whose requests cost `ratio` times as much. Work that waits for the
  /// rival has to be done later: so its time counts as often as what it does is dearer. Where
  /// users can tell, it counts in full even if the rival is but a little worse, for then all
  /// requests in it are among the slowest. What is spent can be more than what is there: then
  /// nothing can be bought until that is paid.
  void spend(const Costs::Pair &pair, double ratio) {
    last_ = price(pair, ratio);
    saved_ -= last_;
    spent_ += last_;
  }
  /// Whether so many more pairs as the last one can be paid for.
  [[nodiscard]] bool has(double pairs) const { return saved_ >= pairs * last_; }
  /// 0 to 1: how much of what can be saved is.
  [[nodiscard]] double level() const { return saved_ / most(); }
  /// All that was ever spent, in seconds.
  [[nodiscard]] double spent() const { return spent_; }

private:
  static double price(const Costs::Pair &pair, double ratio) {
    const double excess = std::max(ratio - 1, 0.0);
    return pair.work + pair.seconds * std::max(excess, std::min(excess / limits::noticeable, 1.0));
  }
  [[nodiscard]] double most() const {
    return share_ * std::chrono::duration<double>(limits::saved_for).count();
  }

  const double share_;
  double saved_ = 0;
  double spent_ = 0;
  double last_ = 0.002; ///< Seconds; before the first, a slice of a rival that is no good.
};

/// How many false alarms may still be raised, on average: so many at the start, and so many more
/// by the hour. Each question takes a share of what is there, so that the sum of all their errors
/// is never more. For use by one thread.
class ErrorBudget {
public:
  void earn(double seconds) { left_ += limits::error_per_hour * seconds / 3600; }
  /// The probability with which the next question may be answered wrongly.
  double take(double share) {
    const double taken = share * left_;
    left_ -= taken;
    return taken;
  }

private:
  double left_ = limits::error_per_decision;
};

} // namespace sartor

#endif
