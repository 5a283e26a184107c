// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_EXPLORE_WATCH_CHANGE_SHIFT_H
#define SARTOR_EXPLORE_WATCH_CHANGE_SHIFT_H

namespace sartor {

/// Evidence that the mean of a noisy quantity has moved from zero, up or down, by `shift` or more.
///
/// Sums of logarithms of likelihood ratios: A. Wald, "Sequential Tests of Statistical Hypotheses",
/// Annals of Mathematical Statistics 16, 1945; with sums kept at zero or above, the detector of
/// E. S. Page, "Continuous Inspection Schemes", Biometrika 41, 1954. One sample adds only so much,
/// so that a burst of foreign load is no proof of anything.
class ShiftTest {
public:
  enum class Keep : unsigned char {
    all,      ///< Evidence against the shift counts for ever: it can be refuted.
    positive, ///< Evidence against it only cancels what spoke for it: it may come at any time.
  };

  /// `deviation` is that of a sample. Both are positive.
  ShiftTest(double shift, double deviation, Keep keep);

  void add(double sample);
  void restart() { up_ = down_ = 0; }

  /// The evidence for the likelier direction, in natural logarithms of odds.
  [[nodiscard]] double evidence() const { return up_ > down_ ? up_ : down_; }
  /// The evidence for a shift up alone.
  [[nodiscard]] double up() const { return up_; }

private:
  double shift_;
  double weight_;
  Keep keep_;
  double up_ = 0;
  double down_ = 0;
};

} // namespace sartor

#endif
