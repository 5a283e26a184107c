// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_CHANGE_DETECTION_CHANGE_TEST_H
#define SARTOR_TUNER_CHANGE_DETECTION_CHANGE_TEST_H

#include <algorithm>
#include <limits>

namespace sartor {

/// The sequential test for a change of a stream at any time: the evidence of its samples, summed up
/// from the likeliest beginning of a change, reaches a threshold (E. S. Page, "Continuous
/// Inspection Schemes", Biometrika 41, 1954). Costs, mixes and new inputs differ in the evidence of
/// a sample. For use by one thread.
class ChangeTest {
public:
  /// The threshold of streams whose samples count as 1 if they are unusual: two in a row.
  static constexpr double twice = 2;
  /// Evidence of a sample that is surely from before the change.
  static constexpr double unchanged = -std::numeric_limits<double>::infinity();

  explicit ChangeTest(double threshold) : threshold_(threshold) {}

  /// Adds the evidence of a sample for a change in either of two directions.
  void add(double up, double down = unchanged) {
    up_ = std::max(up_ + up, 0.0);
    down_ = std::max(down_ + down, 0.0);
  }
  [[nodiscard]] bool has_changed() const { return std::max(up_, down_) >= threshold_; }

  [[nodiscard]] double threshold() const { return threshold_; }
  void set_threshold(double threshold) { threshold_ = threshold; }

private:
  double threshold_;
  double up_ = 0, down_ = 0;
};

} // namespace sartor

#endif
