// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "explore/watch/change.h"

#include <cmath>

namespace sartor {

bool ChangeRule::moved(double score) {
  if (seen_ < windows_) {
    ++seen_;
    before_ += (score - before_) / static_cast<double>(seen_);
    return false;
  }
  const double by = std::fabs(score - before_);
  // A program that stood still and stands still has not moved by any share of nothing.
  if (by == 0 || by < threshold_ * std::fabs(before_)) {
    run_ = 0;
    run_sum_ = 0;
    return false;
  }
  ++run_;
  run_sum_ += score;
  return run_ >= windows_;
}

double ChangeRule::now() const noexcept {
  return run_ == 0 ? before_ : run_sum_ / static_cast<double>(run_);
}

} // namespace sartor
