// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_WATCH_BACK_OFF_H
#define SARTOR_TUNER_WATCH_BACK_OFF_H

#include <algorithm>
#include <chrono>

#include "tuner/limits.h"

namespace sartor {

/// How long to put up with changes that come one after another: a workload that never stands still
/// must not be explored for ever. For use by one thread.
class BackOff {
public:
  explicit BackOff(std::chrono::nanoseconds window) : window_(window) {}

  /// After a watch that lasted so long: what to wait before exploring again. Nothing after a long
  /// one; else twice as long as the last time, up to some dozens of windows.
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
