// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/measure/running_program.h"

#include <algorithm>
#include <cstddef>
#include <ranges>
#include <utility>
#include <vector>

#include "base/value_json.h"
#include "tuner/evidence/percentile.h"
#include "tuner/limits.h"

namespace sartor {

namespace {

/// For how long a quantity beside the first is worth prolonging a window: a percentile until one
/// request is to be expected beyond it, anything until it has been seen.
std::chrono::nanoseconds patience_for(const Objective &of, const QuantityReading &seen,
                                      const WindowLength &length) {
  if (!(seen.weight > 0))
    return limits::patience_for_quantity * length.longest;
  const bool is_little = of.kind == Objective::Kind::percentile &&
                         seen.weight < 1 / Percentile({}, of.percent / 100).tail();
  return is_little ? length.longest : std::chrono::nanoseconds{};
}

} // namespace

std::optional<Reading> RunningProgram::read_slice(std::chrono::nanoseconds at_least,
                                                  double hopeless_below,
                                                  const std::stop_token &stop) {
  const bool is_rate = objective_.quantities.empty() && // scores have no unit
                       objective_.kind == Objective::Kind::counter &&
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
  std::vector<Tally> tallies, beside;
  for (const Bound &bound : objective_.bounds)
    tallies.emplace_back(*bound.of);
  for (const Quantity &quantity : objective_.quantities | std::views::drop(1))
    beside.emplace_back(*quantity.of);
  const auto so_far = [&] {
    std::vector<BoundReading> readings;
    for (std::size_t i = 0; i < tallies.size(); ++i)
      readings.push_back(bound_reading(objective_.bounds[i], tallies[i].so_far()));
    return readings;
  };
  bool is_ended = false;
  auto last_look = std::chrono::steady_clock::now();
  const WindowLook look = [&] {
    const auto now = std::chrono::steady_clock::now();
    if (now - last_look < limits::between_looks)
      return false;
    last_look = now;
    for (Tally &tally : tallies)
      tally.look();
    for (Tally &tally : beside)
      tally.look();
    is_ended = guard_ && guard_(so_far());
    return is_ended;
  };
  const auto read_on = [&] {
    return read_window(objective_, length, hopeless_below, stop, &step_,
                       tallies.empty() && beside.empty() ? WindowLook() : look);
  };
  auto reading = read_on();
  const auto begin = std::chrono::steady_clock::now();
  const auto lacks_something = [&] {
    const auto waited = std::chrono::steady_clock::now() - begin;
    for (std::size_t i = 0; i < beside.size(); ++i)
      if (waited < patience_for(*objective_.quantities[i + 1].of, beside[i].so_far(), length))
        return true;
    return false;
  };
  while (reading && !reading->is_set_back && !is_ended &&
         std::ranges::none_of(beside, &Tally::is_set_back) && lacks_something()) {
    const auto more = read_on();
    reading = more ? std::optional(merged(std::move(*reading), *more)) : std::nullopt;
  }
  if (!reading)
    return std::nullopt;
  if (reading->is_set_back)
    tell_of_set_back(objective_.quantities.empty() ? objective_.name
                                                   : objective_.quantities.front().of->name);
  for (std::size_t i = 0; i < beside.size(); ++i) {
    reading->quantities.push_back(beside[i].so_far());
    if (beside[i].is_set_back()) {
      tell_of_set_back(objective_.quantities[i + 1].of->name);
      reading->is_set_back = true;
    }
  }
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
