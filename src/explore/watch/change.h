// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_EXPLORE_WATCH_CHANGE_H
#define SARTOR_EXPLORE_WATCH_CHANGE_H

#include <cstddef>

namespace sartor {

/// Tells when a score has moved by a share of what it was, in several windows in a row. What it
/// was is the mean of the first that many windows. For use by one thread.
class ChangeRule {
public:
  /// `windows` is at least 1.
  ChangeRule(double threshold, std::size_t windows) : threshold_(threshold), windows_(windows) {}
  /// The same, with a score that is expected from the first window on.
  ChangeRule(double threshold, std::size_t windows, double expected)
      : threshold_(threshold), windows_(windows), seen_(windows), before_(expected) {}

  /// Takes the next window's score; true if the score has moved.
  bool moved(double score);

  [[nodiscard]] double before() const noexcept { return before_; }
  /// The mean of the windows that have moved; the mean before if the last one had not.
  [[nodiscard]] double now() const noexcept;

private:
  double threshold_;
  std::size_t windows_;
  std::size_t seen_ = 0;
  double before_ = 0;
  std::size_t run_ = 0;
  double run_sum_ = 0;
};

} // namespace sartor

#endif
