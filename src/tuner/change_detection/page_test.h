// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_CHANGE_DETECTION_PAGE_TEST_H
#define SARTOR_TUNER_CHANGE_DETECTION_PAGE_TEST_H

#include <algorithm>
#include <cmath>

#include "tuner/limits.h"

namespace sartor {

/// Sequential evidence that the mean of a noisy quantity has moved from zero, up or down, by
/// `shift` or more, at any time: E. S. Page, "Continuous Inspection Schemes", Biometrika 41, 1954.
/// The contribution of one sample is limited, so that a burst of foreign load causes no warning.
/// For use by one thread.
class PageTest {
public:
  /// `deviation` is the standard deviation of a sample. Both arguments are positive.
  PageTest(double shift, double deviation)
      : shift_(shift), weight_(shift / (deviation * deviation)) {}

  void add(double sample) {
    up_ = std::max(up_ + evidence(sample), 0.0);
    down_ = std::max(down_ + evidence(-sample), 0.0);
  }
  /// Evidence for the likelier direction, as the natural logarithm of the odds.
  [[nodiscard]] double evidence() const { return std::max(up_, down_); }

private:
  [[nodiscard]] double evidence(double towards) const {
    return std::clamp(weight_ * (towards - shift_ / 2), -limits::most_of_a_sample,
                      limits::most_of_a_sample);
  }

  double shift_;
  double weight_;
  double up_ = 0;
  double down_ = 0;
};

} // namespace sartor

#endif
