// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "policy.h"

#include <algorithm>
#include <cstdio>
#include <set>
#include <string>
#include <utility>

namespace router {

using namespace std::chrono_literals;

namespace {

/// Fewer samples than this are not enough to estimate shares.
constexpr std::uint64_t enough_samples = 200;

using Inputs = std::set<std::vector<sartor::Value>>;

/// The inputs that a fast path of the largest size would answer.
Inputs popular(const sartor::PointProfile &seen) {
  constexpr std::size_t most = 256;
  Inputs inputs;
  for (const sartor::ProfileEntry &entry : seen.entries) {
    if (inputs.size() == most)
      break;
    inputs.insert(entry.inputs);
  }
  return inputs;
}

/// The share of all samples with one of `inputs`.
double share(const sartor::PointProfile &seen, const Inputs &inputs) {
  std::uint64_t count = 0;
  for (const sartor::ProfileEntry &entry : seen.entries)
    if (inputs.contains(entry.inputs))
      count += entry.count;
  return static_cast<double>(count) / static_cast<double>(std::max<std::uint64_t>(seen.count, 1));
}

/// False if requested to stop.
bool rest(const std::stop_token &stop, std::chrono::milliseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (!stop.stop_requested() && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(std::min(time, 10ms));
  return !stop.stop_requested();
}

} // namespace

Policy::Policy(sartor::Runtime &runtime, Router &router, PolicyOptions options)
    : runtime_(runtime), router_(router), options_(std::move(options)) {
  search_->adopt(router_.tables());
  router_.on_change([this] { search_->retract(); }, [this] { search_->adopt(router_.tables()); });
  runtime_.add_custom(
      "ranges", [search = search_](const sartor::GeneratorInput &) { return search->generate(); });
  thread_ = std::jthread([this](const std::stop_token &stop) { run(stop); });
}

Policy::~Policy() {
  thread_.request_stop();
  thread_.join();
  router_.on_change([] {}, [] {});
  search_->retract();
}

void Policy::run(const std::stop_token &stop) {
  while (!stop.stop_requested()) {
    try {
      const sartor::Profile learnt = learn(stop);
      if (stop.stop_requested())
        return;
      explore(stop);
      watch(stop, learnt);
    } catch (const sartor::Error &error) { // the routes may have changed meanwhile
      std::fprintf(stderr, "router: goes on as it is, and tries again: %s\n", error.what());
      rest(stop, 1s);
    }
  }
}

sartor::Profile Policy::learn(const std::stop_token &stop) {
  runtime_.log_event("profiling", "{}");
  runtime_.instrument({{"lookup", 1}});
  runtime_.clear_profile();
  sartor::Profile seen;
  do {
    if (!rest(stop, options_.profiling))
      break;
    seen = runtime_.profile();
  } while (!seen.find("lookup") || seen.find("lookup")->count < enough_samples);
  runtime_.instrument({});
  return seen;
}

void Policy::explore(const std::stop_token &stop) {
  sartor::ExplorerOptions options;
  options.choices["lookup"] = options_.sizes;
  options.detect_changes = false; // Policy detects changes itself
  sartor::Explorer explorer(runtime_,
                            sartor::Objective::rate_of(router_.counters().of(Outcome::forwarded),
                                                       "forwarded", "packet/s"),
                            options);
  explorer.start();
  while (explorer.explorations() == 0 && rest(stop, 10ms)) {
  }
  explorer.stop();
}

void Policy::watch(const std::stop_token &stop, const sartor::Profile &learnt) {
  const Inputs inputs = popular(*learnt.find("lookup"));
  const double share_then = share(*learnt.find("lookup"), inputs);
  runtime_.instrument({{"lookup", options_.watch_every}});
  while (!stop.stop_requested()) {
    runtime_.clear_profile();
    sartor::Profile seen;
    do {
      if (!rest(stop, options_.watch))
        return;
      seen = runtime_.profile();
    } while (!seen.find("lookup") ||
             seen.find("lookup")->count < enough_samples * options_.watch_every);
    if (share(*seen.find("lookup"), inputs) < share_then * options_.remaining_share)
      return;
  }
}

} // namespace router
