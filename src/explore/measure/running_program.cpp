// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "explore/measure/running_program.h"

#include <algorithm>

namespace sartor {

std::optional<Reading> RunningProgram::read_slice(std::chrono::nanoseconds at_least,
                                                  double hopeless_below,
                                                  const std::stop_token &stop) {
  const bool is_rate = objective_.kind == Objective::Kind::counter &&
                       objective_.direction == Objective::Direction::higher_is_better;
  return read(at_least_as_long(at_least), is_rate ? hopeless_below : 0, stop);
}

std::optional<Reading> RunningProgram::rest(std::chrono::nanoseconds long_enough,
                                            const std::stop_token &stop) {
  return read(at_least_as_long(long_enough), 0, stop);
}

WindowLength RunningProgram::at_least_as_long(std::chrono::nanoseconds as) const {
  WindowLength length = slice_;
  length.shortest = std::max(slice_.shortest, as);
  length.longest = std::max(slice_.longest, as);
  return length;
}

std::optional<Reading> RunningProgram::read(const WindowLength &length, double hopeless_below,
                                            const std::stop_token &stop) {
  auto reading = read_window(objective_, length, hopeless_below, stop, &step_);
  if (!reading)
    return std::nullopt;
  if (objective_.kind == Objective::Kind::counter) {
    const auto now = std::chrono::steady_clock::now();
    const double count = objective_.read();
    if (last_) {
      reading->seconds = std::chrono::duration<double>(now - last_->first).count();
      reading->average = std::max((count - last_->second) / reading->seconds, 0.0);
    }
    last_ = {now, count};
  }
  return score_of(objective_, *reading);
}

} // namespace sartor
