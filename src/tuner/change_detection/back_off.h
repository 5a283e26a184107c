// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_CHANGE_DETECTION_BACK_OFF_H
#define SARTOR_TUNER_CHANGE_DETECTION_BACK_OFF_H

#include <algorithm>
#include <chrono>

#include "tuner/limits.h"

namespace sartor {

/// Delay between explorations when changes follow one another, so that a workload that never stands
/// still is not explored without end. For use by one thread.
class BackOff {
public:
  explicit BackOff(std::chrono::nanoseconds window) : window_(window) {}

  /// Returns how long to wait before exploring again, after change detection ran for `watched`.
  /// Zero after a long run; otherwise twice the last delay, up to some dozens of windows.
  std::chrono::nanoseconds after(std::chrono::nanoseconds watched) {
    if (watched >= limits::calm_windows * window_)
      hold_ = {};
    else
      hold_ = hold_.count() == 0 ? window_ / 4
                                 : std::min(2 * hold_, limits::most_windows_held * window_);
    return hold_;
  }

private:
  std::chrono::nanoseconds window_;
  std::chrono::nanoseconds hold_{};
};

} // namespace sartor

#endif
