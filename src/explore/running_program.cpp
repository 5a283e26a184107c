// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "explore/running_program.h"

namespace sartor {

std::optional<Reading> RunningProgram::read_slice(double hopeless_below,
                                                  const std::stop_token &stop) {
  const bool is_rate = objective_.kind == Objective::Kind::counter &&
                       objective_.direction == Objective::Direction::higher_is_better;
  auto reading = read_window(objective_, slice_, is_rate ? hopeless_below : 0, stop, &step_);
  if (reading) {
    reading->value = score_of(objective_, reading->value);
    reading->average = score_of(objective_, reading->average);
  }
  return reading;
}

} // namespace sartor
