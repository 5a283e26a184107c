// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "explore/watch/watch.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "explore/objective/window.h"
#include "explore/watch/change.h"
#include "value/value_json.h"

namespace sartor {

using Json = nlohmann::ordered_json;

namespace {

/// Pairs without numbers after which a check is given up: nothing is going on.
constexpr std::size_t most_fruitless = 3;

bool counts_requests(const Objective &objective) {
  return objective.kind != Objective::Kind::gauge;
}

} // namespace

std::string workload_name(const ExplorerOptions &options) {
  return options.signature ? options.signature() : std::string();
}

Watch::Watch(const Runtime &runtime, const Objective &objective, const ExplorerOptions &options,
             Costs &costs, bool has_rival)
    : runtime_(runtime), objective_(objective), options_(options), costs_(costs),
      monitor_({.has_rival = has_rival,
                .per_request = counts_requests(objective),
                .tolerance = options.tolerance}) {
  signature_.name = workload_name(options);
  begin_window();
}

bool Watch::run(const std::stop_token &stop) {
  while (!stop.stop_requested()) {
    const bool comparing = monitor_.next() == ChangeMonitor::Next::compare;
    if (!(comparing ? take_pair(stop) : take_beat(stop)))
      return false;
    if (monitor_.next() != ChangeMonitor::Next::changed &&
        std::chrono::steady_clock::now() - window_began_ >= options_.watch_window)
      end_window();
    if (std::string name = workload_name(options_); name != signature_.name) {
      signature_ = {std::move(name), {}};
      log_change("signature");
      return true;
    }
    if (monitor_.next() == ChangeMonitor::Next::changed) {
      using Reason = ChangeMonitor::Reason;
      if (monitor_.reason() != Reason::shape) // all that was seen since the suspicion is new
        signature_.shape = Shape::between(seen_, runtime_.profile());
      log_change(monitor_.reason() == Reason::cost    ? "cost"
                 : monitor_.reason() == Reason::shape ? "shape"
                                                      : "rival");
      return true;
    }
  }
  return false;
}

bool Watch::take_beat(const std::stop_token &stop) {
  const auto cost = costs_.beat(stop);
  if (!cost)
    return false;
  if (monitor_.beat(*cost) == ChangeMonitor::Next::compare) {
    runtime_.log_event("suspicion", dump({{"before", monitor_.before()}, {"now", monitor_.now()}}));
    pairs_before_ = monitor_.pairs();
    fruitless_ = 0;
    begin_window();
  }
  return true;
}

bool Watch::take_pair(const std::stop_token &stop) {
  const bool suspects = monitor_.suspects();
  const auto pair = costs_.pair(stop);
  if (!pair)
    return false;
  const auto next = monitor_.pair(pair->first, pair->second);
  const bool fruitful = std::isfinite(pair->first) && std::isfinite(pair->second);
  fruitless_ = fruitful ? 0 : fruitless_ + 1;
  if (suspects && next == ChangeMonitor::Next::compare && fruitless_ >= most_fruitless)
    monitor_.give_up();
  if (suspects && monitor_.next() != ChangeMonitor::Next::compare)
    end_check();
  return true;
}

void Watch::end_check() {
  runtime_.log_event("recheck",
                     dump({{"pairs", monitor_.pairs() - pairs_before_},
                           {"confirmed", monitor_.next() == ChangeMonitor::Next::changed}}));
}

void Watch::begin_window() {
  seen_ = runtime_.profile();
  window_began_ = std::chrono::steady_clock::now();
}

void Watch::end_window() {
  const double value = costs_.value();
  if (std::isfinite(value))
    runtime_.log_event("window", dump({{"score", score_of(objective_, value)},
                                       {"value", value},
                                       {"cost", monitor_.now()},
                                       {"text", runtime_.configuration().text()}}));
  Profile now = runtime_.profile();
  const Shape shape = Shape::between(seen_, now);
  seen_ = std::move(now);
  window_began_ = std::chrono::steady_clock::now();
  monitor_.window(shape);
  signature_.shape = shape;
}

void Watch::log_change(const char *because) const {
  runtime_.log_event("change", dump({{"before", monitor_.before()},
                                     {"now", monitor_.now()},
                                     {"distance", monitor_.distance()},
                                     {"because", because}}));
}

bool watch_threshold(const Runtime &runtime, const Objective &objective,
                     const ExplorerOptions &options, std::optional<double> expected,
                     const std::stop_token &stop) {
  ChangeRule rule = expected
                        ? ChangeRule(options.change_threshold, options.change_windows, *expected)
                        : ChangeRule(options.change_threshold, options.change_windows);
  const WindowLength length{
      options.watch_window,
      std::max<std::chrono::nanoseconds>(options.watch_window, options.longest_slice),
      options.slice_events};
  while (const auto reading = read_window(objective, length, 0, stop)) {
    if (std::isnan(reading->value))
      continue;
    const double score = score_of(objective, reading->value);
    runtime.log_event("window", dump({{"score", score},
                                      {"value", reading->value},
                                      {"text", runtime.configuration().text()}}));
    if (expected && score >= *expected) { // better is no reason to doubt
      rule = ChangeRule(options.change_threshold, options.change_windows);
      expected.reset();
    }
    if (rule.moved(score)) {
      runtime.log_event(
          "change",
          dump({{"before", rule.before()}, {"now", rule.now()}, {"because", "threshold"}}));
      return true;
    }
  }
  return false;
}

} // namespace sartor
