// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Measures a server in an open loop: requests arrive independently of earlier answers and
/// wait in a queue; a latency is the time from a request's arrival to its answer. One in 25
/// requests is of a rare kind. The ways to answer differ in cost and tail latency: those with a low
/// mean cost have a long tail. The explorer has its defaults.
///
/// `chosen_over_best`: the 99th percentile of the explorer's choice over that of the best way, from
/// interleaved stretches. `over_guardrail`: the cost of a request is to be minimized while the 99th
/// percentile keeps to a limit that the cheapest ways exceed; this is the share of seconds above
/// the limit, during the exploration and an equal time after it. `cost_over_best`: the cost of that
/// choice over the cheapest way that keeps to the limit.

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <random>
#include <thread>
#include <vector>

#include <sartor/sartor.hpp>

#include "harness.h"
#include "latency_handler.h"

namespace sartor::bench {

const char *const bench_name = "latency";

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kExplorations = 3;
constexpr std::size_t kRounds = 5;
constexpr auto kStretch = 2s;
constexpr double kRequests = 4'000; ///< Per second.
constexpr double kRareShare = 0.04;
/// The window for checking the limit: some 4,000 requests.
constexpr auto kWindow = 1s;

/// The cost of a way in units of 0.05 ms: usual requests, rare ones.
struct Way {
  double usual, rare;
};
constexpr std::array<Way, kWays> kWaysTake{
    {{1.2, 12}, {1, 4}, {0.7, 30}, {1.6, 2}, {0.9, 8}, {2.4, 2.4}}};

/// Measures the number of turns of the wheel in 0.05 ms on this machine.
double turns_in_unit() {
  constexpr std::uint32_t many = 4'000'000;
  std::array<std::uint32_t, 2 * kWays> turns{};
  turns.fill(many);
  double best = 1;
  for (int i = 0; i < 5; ++i) {
    const auto began = Clock::now();
    std::uint64_t wheel = answer(1, 0, 0, turns.data());
    keep(wheel);
    best = std::min(best, std::chrono::duration<double>(Clock::now() - began).count());
  }
  return many * 50e-6 / best;
}

/// Answers on a thread of its own, which busy-waits between requests.
class Server {
public:
  explicit Server(Runtime &runtime) {
    const double unit = turns_in_unit();
    for (std::size_t i = 0; i < kWays; ++i) {
      turns_[i] = static_cast<std::uint32_t>(unit * kWaysTake[i].usual);
      turns_[kWays + i] = static_cast<std::uint32_t>(unit * kWaysTake[i].rare);
    }
    thread_ =
        std::jthread([this, handler = runtime.handler<&answer>()](const std::stop_token &stop) {
          std::mt19937_64 random(1);
          std::exponential_distribution<double> gap(kRequests);
          std::bernoulli_distribution is_rare(kRareShare);
          std::uint64_t wheel = 1;
          for (auto comes = Clock::now(); !stop.stop_requested();) {
            comes += std::chrono::nanoseconds(std::llround(1e9 * gap(random)));
            while (Clock::now() < comes)
              ;
            const auto began = Clock::now();
            wheel = handler(wheel, 0, is_rare(random) ? 1 : 0, turns_.data());
            const auto now = Clock::now();
            latency.record(now - comes);
            busy.fetch_add(static_cast<std::uint64_t>((now - began).count()),
                           std::memory_order_relaxed);
            answered.fetch_add(1, std::memory_order_relaxed);
          }
          keep(wheel);
        });
  }

  Histogram latency;
  std::atomic<std::uint64_t> busy = 0; ///< Nanoseconds.
  std::atomic<std::uint64_t> answered = 0;

  [[nodiscard]] Objective p99() const { return Objective::percentile_of(latency, 99); }
  [[nodiscard]] Objective cost() const {
    return Objective::cost_per([this] { return 1e-9 * static_cast<double>(busy.load()); },
                               [this] { return static_cast<double>(answered.load()); });
  }

private:
  std::array<std::uint32_t, 2 * kWays> turns_{};
  std::jthread thread_;
};

/// Returns the 99th percentile in seconds of the latencies between two states of the counters; 0 if
/// there are none.
double p99_of(const std::vector<std::uint64_t> &before, const std::vector<std::uint64_t> &after) {
  double left = 0;
  for (std::size_t i = 0; i < after.size(); ++i)
    left += 0.01 * static_cast<double>(after[i] - before[i]);
  for (std::size_t i = after.size(); i-- > 0;) {
    left -= static_cast<double>(after[i] - before[i]);
    if (left < 0)
      return Histogram::bounds()[std::min(i, Histogram::bounds().size() - 1)];
  }
  return 0;
}

struct Stretch {
  double p99, cost;
};

Stretch stretch(const Server &server) {
  std::this_thread::sleep_for(50ms); // the queue has been emptied
  const auto latencies = server.latency.counts();
  const double busy = static_cast<double>(server.busy);
  const double answered = static_cast<double>(server.answered);
  std::this_thread::sleep_for(kStretch);
  return {p99_of(latencies, server.latency.counts()),
          1e-9 * (static_cast<double>(server.busy) - busy) /
              (static_cast<double>(server.answered) - answered)};
}

Configuration way(std::size_t i) { return {{"way", unguarded(static_cast<std::int64_t>(i))}}; }

ExplorerOptions options_of_all() {
  ExplorerOptions options;
  options.unguarded = {"way"};
  options.detect_changes = false;
  return options;
}

std::size_t way_of(const Configuration &configuration) {
  const Setting *setting = configuration.find("way");
  return setting ? static_cast<std::size_t>(setting->values.front().integer()) : 0;
}

/// Measures all ways in interleaved rounds; results by way and round.
std::vector<std::vector<Stretch>> measure_all(Runtime &runtime, const Server &server) {
  std::vector<std::vector<Stretch>> stretches(kWays);
  for (std::size_t round = 0; round < kRounds; ++round)
    for (std::size_t i = 0; i < kWays; ++i) {
      runtime.specialize(way(i));
      stretches[i].push_back(stretch(server));
    }
  return stretches;
}

/// Counts the seconds in which the percentile is above a limit, until it is stopped.
class Observer {
public:
  Observer(const Server &server, double limit)
      : thread_([this, &server, limit](const std::stop_token &stop) {
          for (auto before = server.latency.counts(); !stop.stop_requested();) {
            std::this_thread::sleep_for(kWindow);
            auto now = server.latency.counts();
            over_ += p99_of(before, now) > limit;
            ++all_;
            before = std::move(now);
          }
        }) {}
  void stop(double &over, double &all) {
    thread_.request_stop();
    thread_.join();
    over += over_;
    all += all_;
  }

private:
  double over_ = 0, all_ = 0;
  std::jthread thread_;
};

double median_of(const std::vector<Stretch> &stretches, double Stretch::*what) {
  std::vector<double> values;
  for (const Stretch &each : stretches)
    values.push_back(each.*what);
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2));
  return values[values.size() / 2];
}

} // namespace

std::vector<Figure> measure() {
  Runtime runtime;
  const Server server(runtime);
  const auto all = measure_all(runtime, server);
  std::size_t best = 0;
  std::vector<double> p99s, costs;
  for (std::size_t i = 0; i < kWays; ++i) {
    p99s.push_back(median_of(all[i], &Stretch::p99));
    costs.push_back(median_of(all[i], &Stretch::cost));
    std::printf("way %zu: 99th percentile %.0f us, a request costs %.1f us\n", i, 1e6 * p99s[i],
                1e6 * costs[i]);
    best = p99s[i] < p99s[best] ? i : best;
  }

  Samples chosen_over_best;
  for (std::size_t i = 0; i < kExplorations; ++i) {
    runtime.specialize({});
    const Decision decision = Explorer(runtime, server.p99(), options_of_all()).explore();
    const std::size_t chosen = way_of(decision.configuration);
    std::printf("by the 99th percentile: way %zu, gain %.2f\n", chosen, decision.gain.mean);
    for (std::size_t round = 0; round < kRounds; ++round)
      chosen_over_best.push_back(all[chosen][round].p99 / all[best][round].p99);
  }

  // The limit is the geometric mean of two adjacent percentiles, so that the cheaper ways exceed
  // it.
  std::vector<double> sorted = p99s;
  std::ranges::sort(sorted);
  const double limit = std::sqrt(sorted[kWays / 2 - 1] * sorted[kWays / 2]);
  std::size_t cheapest = best;
  for (std::size_t i = 0; i < kWays; ++i)
    if (p99s[i] <= limit && costs[i] < costs[cheapest])
      cheapest = i;
  Samples cost_over_best;
  double over = 0, seconds = 0;
  for (std::size_t i = 0; i < kExplorations; ++i) {
    // The active way must keep to the limit, or all seconds before the choice would exceed it.
    runtime.specialize(way(best));
    std::this_thread::sleep_for(100ms);
    Observer observer(server, limit);
    const auto began = Clock::now();
    const Decision decision =
        Explorer(runtime, server.cost().subject_to(server.p99(), {.most = limit}), options_of_all())
            .explore();
    std::this_thread::sleep_for(Clock::now() - began);
    observer.stop(over, seconds);
    const std::size_t chosen = way_of(decision.configuration);
    std::printf("by cost, 99th percentile below %.0f us: way %zu%s\n", 1e6 * limit, chosen,
                decision.keeps_bounds ? "" : ", which is not known to keep it");
    for (std::size_t round = 0; round < kRounds; ++round)
      cost_over_best.push_back(all[chosen][round].cost / all[cheapest][round].cost);
  }
  const Interval share = wilson(over / seconds, seconds);
  return {
      {"chosen_over_best", "ratio", median(chosen_over_best), at_most(1.03)},
      {"over_guardrail", "%", {100 * share.value, 100 * share.low, 100 * share.high}, at_most(1)},
      {"cost_over_best", "ratio", median(cost_over_best)}};
}

} // namespace sartor::bench
