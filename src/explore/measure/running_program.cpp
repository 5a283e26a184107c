// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "explore/measure/running_program.h"

#include <algorithm>
#include <vector>

#include "explore/limits.h"
#include "value/value_json.h"

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
  for (int tries = 0; tries < limits::most_set_back; ++tries) {
    auto reading = read_once(length, hopeless_below, stop);
    if (!reading)
      return std::nullopt;
    if (!reading->is_set_back)
      return score_of(objective_, *reading);
    last_.reset();
  }
  throw Error({ErrorCode::bad_objective, objective_.name,
               "counts have become less in " + std::to_string(limits::most_set_back) +
                   " readings one after the other",
               "give counts that only grow; a wrap or reset now and then does no harm"});
}

/// One that is set back says nothing.
std::optional<Reading> RunningProgram::read_once(const WindowLength &length, double hopeless_below,
                                                 const std::stop_token &stop) {
  std::vector<Tally> tallies(objective_.bounds.begin(), objective_.bounds.end());
  const auto so_far = [&] {
    std::vector<BoundReading> readings;
    for (const Tally &tally : tallies)
      readings.push_back(tally.so_far());
    return readings;
  };
  auto last_look = std::chrono::steady_clock::now();
  const WindowLook look = [&] {
    const auto now = std::chrono::steady_clock::now();
    if (now - last_look < limits::between_looks)
      return false;
    last_look = now;
    for (Tally &tally : tallies)
      tally.look();
    return guard_ && guard_(so_far());
  };
  auto reading = read_window(objective_, length, hopeless_below, stop, &step_,
                             tallies.empty() ? WindowLook() : look);
  if (!reading)
    return std::nullopt;
  if (reading->is_set_back)
    tell_of_set_back(objective_.name);
  for (std::size_t i = 0; i < tallies.size(); ++i)
    if (tallies[i].is_set_back()) {
      tell_of_set_back(objective_.bounds[i].of->name);
      reading->is_set_back = true;
    }
  reading->bounds = so_far();
  if (objective_.kind == Objective::Kind::counter && !reading->is_set_back) {
    const auto now = std::chrono::steady_clock::now();
    const double count = objective_.read();
    if (last_ && count >= last_->second) {
      reading->seconds = std::chrono::duration<double>(now - last_->first).count();
      reading->average = (count - last_->second) / reading->seconds;
    }
    last_ = {now, count};
  }
  return reading;
}

void RunningProgram::tell_of_set_back(const std::string &of) const {
  runtime_.log_event("set_back", dump({{"of", of}}));
}

} // namespace sartor
