// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/change_detection/change_detector.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text/value_json.h"
#include "tuner/limits.h"
#include "tuner/objective/window.h"

namespace sartor {

using Clock = std::chrono::steady_clock;
using Json = nlohmann::ordered_json;

std::string workload_name(const ExplorerOptions &options) {
  return options.signature ? options.signature() : std::string();
}

ChangeDetector::ChangeDetector(const Runtime &runtime, const Objective &objective,
                               const ExplorerOptions &options, Costs &costs, bool has_rival,
                               Shape explored)
    : runtime_(runtime), objective_(objective), options_(options), costs_(costs),
      cost_change_({.has_rival = has_rival,
                    .tolerance = options.tolerance,
                    .budget = options.detection_budget}),
      novelty_(explored), before_name_(workload_name(options)), name_(before_name_),
      last_(Clock::now()) {
  mix_.begin_with(std::move(explored));
  begin_window();
}

bool ChangeDetector::run(const std::stop_token &stop) {
  while (!stop.stop_requested()) {
    if (!(cost_change_.next() == CostChangeDetector::Next::pair ? take_pair(stop)
                                                                : take_sample(stop)))
      return false;
    const char *other =
        cost_change_.next() == CostChangeDetector::Next::changed ? nullptr : other_mix();
    if (std::string name = workload_name(options_); name != name_) {
      name_ = std::move(name);
      shape_ = {};
      return log_change("signature");
    }
    if (other)
      return log_change(other);
    if (cost_change_.next() == CostChangeDetector::Next::changed) {
      shape_ = Shape::between(seen_, runtime_.profile()); // since the warning, if there was one
      return log_change(cost_change_.reason() == CostChangeDetector::Reason::lost_ground ? "cost"
                                                                                         : "rival");
    }
  }
  return false;
}

double ChangeDetector::since_last() {
  const auto now = Clock::now();
  return std::chrono::duration<double>(now - std::exchange(last_, now)).count();
}

bool ChangeDetector::take_sample(const std::stop_token &stop) {
  const auto cost = costs_.sample(stop);
  if (!cost)
    return false;
  const bool warned = cost_change_.is_warned();
  cost_change_.sample(*cost, since_last());
  if (!warned && cost_change_.is_warned()) {
    runtime_.log_event("change_warning",
                       dump({{"before", cost_change_.before()}, {"now", cost_change_.now()}}));
    begin_window();
  }
  return true;
}

bool ChangeDetector::take_pair(const std::stop_token &stop) {
  const auto pair = costs_.pair(stop);
  if (!pair)
    return false;
  const bool warned = cost_change_.is_warned();
  const std::size_t checks = cost_change_.checks();
  cost_change_.pair(*pair, since_last());
  if (const bool confirmed = cost_change_.next() == CostChangeDetector::Next::changed;
      confirmed || cost_change_.checks() != checks)
    runtime_.log_event(
        "recheck",
        dump({{"pairs", cost_change_.pairs() - std::exchange(pairs_before_, cost_change_.pairs())},
              {"warned", warned},
              {"confirmed", confirmed},
              {"spent", cost_change_.spent()}}));
  return true;
}

void ChangeDetector::begin_window() {
  looked_ = seen_ = runtime_.profile();
  look_began_ = window_began_ = Clock::now();
}

/// Returns why the mix has changed, or null if it has not or no look is due.
const char *ChangeDetector::other_mix() {
  const auto now = Clock::now();
  if (now - look_began_ >= options_.detection_window / limits::looks_in_window && end_look())
    return "novelty";
  return now - window_began_ >= options_.detection_window && end_window() ? "shape" : nullptr;
}

bool ChangeDetector::end_look() {
  const Profile before = std::exchange(looked_, runtime_.profile());
  look_began_ = Clock::now();
  Shape look = Shape::between(before, looked_);
  if (!novelty_.found(look))
    return false;
  shape_ = std::move(look);
  return true;
}

bool ChangeDetector::end_window() {
  const double value = costs_.value();
  if (std::isfinite(value))
    runtime_.log_event("window", dump({{"score", score_of(objective_, value)},
                                       {"value", value},
                                       {"cost", cost_change_.now()},
                                       {"text", runtime_.configuration().text()}}));
  const Profile before = std::exchange(seen_, runtime_.profile());
  window_began_ = Clock::now();
  shape_ = Shape::between(before, seen_);
  return mix_.changed(shape_);
}

bool ChangeDetector::log_change(const char *because) const {
  runtime_.log_event("change", dump({{"before", cost_change_.before()},
                                     {"now", cost_change_.now()},
                                     {"distance", std::max(mix_.last_distance(), novelty_.share())},
                                     {"because", because}}));
  return true;
}

} // namespace sartor
