// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/measure/running_program.h"

#include <algorithm>
#include <cstddef>
#include <ranges>
#include <utility>
#include <vector>

#include "base/text/value_json.h"
#include "tuner/evidence/percentile.h"
#include "tuner/limits.h"

namespace sartor {

namespace {

/// Time for which a window is prolonged for a quantity other than the first: a percentile until one
/// request is expected beyond it, any quantity until it has been seen.
std::chrono::nanoseconds patience_for(const Objective &of, const QuantitySample &seen,
                                      const WindowLength &length) {
  if (!(seen.weight > 0))
    return limits::patience_for_quantity * length.longest;
  const bool is_little = of.kind == Objective::Kind::percentile &&
                         seen.weight < 1 / Percentile({}, of.percent / 100).tail();
  return is_little ? length.longest : std::chrono::nanoseconds{};
}

} // namespace

std::optional<ObjectiveSample> RunningProgram::read_sample(std::chrono::nanoseconds at_least,
                                                           double hopeless_below,
                                                           const std::stop_token &stop) {
  const bool is_rate = objective_.quantities.empty() && // scores have no unit
                       objective_.kind == Objective::Kind::counter &&
                       objective_.direction == Objective::Direction::higher_is_better;
  return read(at_least_as_long(at_least), is_rate ? hopeless_below : 0, stop);
}

std::optional<ObjectiveSample> RunningProgram::rest(std::chrono::nanoseconds long_enough,
                                                    const std::stop_token &stop) {
  return read(at_least_as_long(long_enough), 0, stop);
}

WindowLength RunningProgram::at_least_as_long(std::chrono::nanoseconds as) const {
  WindowLength length = sample_time_;
  length.shortest = std::max(sample_time_.shortest, as);
  length.longest = std::max(sample_time_.longest, as);
  return length;
}

std::optional<ObjectiveSample> RunningProgram::read(const WindowLength &length,
                                                    double hopeless_below,
                                                    const std::stop_token &stop) {
  if (!ready_(stop))
    return std::nullopt;
  for (int tries = 0; tries < limits::most_set_back; ++tries) {
    auto measured = read_once(length, hopeless_below, stop);
    if (!measured)
      return std::nullopt;
    if (!measured->is_set_back)
      return score_of(objective_, *measured);
    last_.reset();
  }
  throw Error(
      {ErrorCode::bad_objective, objective_.name,
       "counts have become less in " + std::to_string(limits::most_set_back) + " samples in a row",
       "give counts that only grow; a wrap or reset now and then does no harm"});
}

/// A sample that is set back is invalid.
std::optional<ObjectiveSample> RunningProgram::read_once(const WindowLength &length,
                                                         double hopeless_below,
                                                         const std::stop_token &stop) {
  std::vector<Tally> tallies, beside;
  for (const Bound &bound : objective_.bounds)
    tallies.emplace_back(*bound.of);
  for (const Quantity &quantity : objective_.quantities | std::views::drop(1))
    beside.emplace_back(*quantity.of);
  const auto so_far = [&] {
    std::vector<BoundSample> measured_samples;
    for (std::size_t i = 0; i < tallies.size(); ++i)
      measured_samples.push_back(bound_sample(objective_.bounds[i], tallies[i].so_far()));
    return measured_samples;
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
  auto measured = read_on();
  const auto begin = std::chrono::steady_clock::now();
  const auto lacks_something = [&] {
    const auto waited = std::chrono::steady_clock::now() - begin;
    for (std::size_t i = 0; i < beside.size(); ++i)
      if (waited < patience_for(*objective_.quantities[i + 1].of, beside[i].so_far(), length))
        return true;
    return false;
  };
  while (measured && !measured->is_set_back && !is_ended &&
         std::ranges::none_of(beside, &Tally::is_set_back) && lacks_something()) {
    const auto more = read_on();
    measured = more ? std::optional(merged(std::move(*measured), *more)) : std::nullopt;
  }
  if (!measured)
    return std::nullopt;
  if (measured->is_set_back)
    report_set_back(objective_.quantities.empty() ? objective_.name
                                                  : objective_.quantities.front().of->name);
  for (std::size_t i = 0; i < beside.size(); ++i) {
    measured->quantities.push_back(beside[i].so_far());
    if (beside[i].is_set_back()) {
      report_set_back(objective_.quantities[i + 1].of->name);
      measured->is_set_back = true;
    }
  }
  for (std::size_t i = 0; i < tallies.size(); ++i)
    if (tallies[i].is_set_back()) {
      report_set_back(objective_.bounds[i].of->name);
      measured->is_set_back = true;
    }
  measured->bounds = so_far();
  if (objective_.kind == Objective::Kind::counter && !measured->is_set_back) {
    const auto now = std::chrono::steady_clock::now();
    const double count = objective_.read();
    if (last_ && count >= last_->second) {
      measured->seconds = std::chrono::duration<double>(now - last_->first).count();
      measured->average = (count - last_->second) / measured->seconds;
    }
    last_ = {now, count};
  }
  return measured;
}

void RunningProgram::report_set_back(const std::string &of) const {
  runtime_.log_event("set_back", dump({{"of", of}}));
}

} // namespace sartor
