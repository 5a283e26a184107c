// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_CHANGE_DETECTION_DETECTION_BUDGET_H
#define SARTOR_TUNER_CHANGE_DETECTION_DETECTION_BUDGET_H

#include <algorithm>

#include "tuner/change_detection/costs.h"
#include "tuner/limits.h"

namespace sartor {

/// Limits the time that the program may spend under the rival during change detection: a share of
/// the time, saved up for some minutes. For use by one thread.
class DetectionBudget {
public:
  explicit DetectionBudget(double share) : share_(share) {}

  void earn(double seconds) { saved_ = std::min(saved_ + share_ * seconds, most()); }
  /// Charges a pair with a rival whose requests cost `ratio` times as much. The rival's time is
  /// weighted by its excess cost, because the missing work has to be done later. If the rival is
  /// noticeably worse for users, its time counts in full, because all requests in it are among the
  /// slowest. The balance may become negative; no further pair is possible until it has been paid
  /// off.
  void spend(const Costs::Pair &pair, double ratio) {
    last_ = price(pair, ratio);
    saved_ -= last_;
    spent_ += last_;
  }
  /// True if the budget allows `pairs` more pairs like the last one.
  [[nodiscard]] bool has(double pairs) const { return saved_ >= pairs * last_; }
  /// Saved budget as a share of the maximum, 0 to 1.
  [[nodiscard]] double level() const { return saved_ / most(); }
  /// Total seconds spent.
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
  double last_ = 0.002; ///< Seconds; before the first pair, the cost of one sample of a useless
                        ///< rival.
};

/// Expected number of false alarms that may still be raised: an initial number, and an addition for
/// every hour. Each test takes a share of the rest, so that the sum of all error probabilities
/// never exceeds the budget. For use by one thread.
class ErrorBudget {
public:
  void earn(double seconds) { left_ += limits::error_per_hour * seconds / 3600; }
  /// Returns the error probability of the next test.
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
