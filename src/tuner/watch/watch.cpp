// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/watch/watch.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/value_json.h"
#include "tuner/limits.h"
#include "tuner/objective/window.h"

namespace sartor {

using Clock = std::chrono::steady_clock;
using Json = nlohmann::ordered_json;

std::string workload_name(const ExplorerOptions &options) {
  return options.signature ? options.signature() : std::string();
}

Watch::Watch(const Runtime &runtime, const Objective &objective, const ExplorerOptions &options,
             Costs &costs, bool has_rival, Shape explored)
    : runtime_(runtime), objective_(objective), options_(options), costs_(costs),
      drift_(
          {.has_rival = has_rival, .tolerance = options.tolerance, .budget = options.watch_budget}),
      novelty_(explored), before_name_(workload_name(options)), name_(before_name_),
      last_(Clock::now()) {
  mix_.begin_with(std::move(explored));
  begin_window();
}

bool Watch::run(const std::stop_token &stop) {
  while (!stop.stop_requested()) {
    if (!(drift_.next() == Drift::Next::pair ? take_pair(stop) : take_beat(stop)))
      return false;
    const char *other = drift_.next() == Drift::Next::changed ? nullptr : other_mix();
    if (std::string name = workload_name(options_); name != name_) {
      name_ = std::move(name);
      shape_ = {};
      return log_change("signature");
    }
    if (other)
      return log_change(other);
    if (drift_.next() == Drift::Next::changed) {
      shape_ = Shape::between(seen_, runtime_.profile()); // since the suspicion, if there was one
      return log_change(drift_.reason() == Drift::Reason::lost_ground ? "cost" : "rival");
    }
  }
  return false;
}

double Watch::since_last() {
  const auto now = Clock::now();
  return std::chrono::duration<double>(now - std::exchange(last_, now)).count();
}

bool Watch::take_beat(const std::stop_token &stop) {
  const auto cost = costs_.beat(stop);
  if (!cost)
    return false;
  const bool suspected = drift_.suspects();
  drift_.beat(*cost, since_last());
  if (!suspected && drift_.suspects()) {
    runtime_.log_event("suspicion", dump({{"before", drift_.before()}, {"now", drift_.now()}}));
    begin_window();
  }
  return true;
}

bool Watch::take_pair(const std::stop_token &stop) {
  const auto pair = costs_.pair(stop);
  if (!pair)
    return false;
  const bool suspected = drift_.suspects();
  const std::size_t checks = drift_.checks();
  drift_.pair(*pair, since_last());
  if (const bool confirmed = drift_.next() == Drift::Next::changed;
      confirmed || drift_.checks() != checks)
    runtime_.log_event(
        "recheck", dump({{"pairs", drift_.pairs() - std::exchange(pairs_before_, drift_.pairs())},
                         {"suspected", suspected},
                         {"confirmed", confirmed},
                         {"spent", drift_.spent()}}));
  return true;
}

void Watch::begin_window() {
  looked_ = seen_ = runtime_.profile();
  look_began_ = window_began_ = Clock::now();
}

/// Why the mix is another one, if it is and it is time to see.
const char *Watch::other_mix() {
  const auto now = Clock::now();
  if (now - look_began_ >= options_.watch_window / limits::looks_in_window && end_look())
    return "novelty";
  return now - window_began_ >= options_.watch_window && end_window() ? "shape" : nullptr;
}

bool Watch::end_look() {
  const Profile before = std::exchange(looked_, runtime_.profile());
  look_began_ = Clock::now();
  Shape look = Shape::between(before, looked_);
  if (!novelty_.found(look))
    return false;
  shape_ = std::move(look);
  return true;
}

bool Watch::end_window() {
  const double value = costs_.value();
  if (std::isfinite(value))
    runtime_.log_event("window", dump({{"score", score_of(objective_, value)},
                                       {"value", value},
                                       {"cost", drift_.now()},
                                       {"text", runtime_.configuration().text()}}));
  const Profile before = std::exchange(seen_, runtime_.profile());
  window_began_ = Clock::now();
  shape_ = Shape::between(before, seen_);
  return mix_.changed(shape_);
}

bool Watch::log_change(const char *because) const {
  runtime_.log_event("change", dump({{"before", drift_.before()},
                                     {"now", drift_.now()},
                                     {"distance", std::max(mix_.last_distance(), novelty_.share())},
                                     {"because", because}}));
  return true;
}

} // namespace sartor
