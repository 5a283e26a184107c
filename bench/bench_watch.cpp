// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Measures the cost of change detection for a program, with the explorer's defaults. Two
/// threads, as many as there are cores, call a handler continuously and measure each call.
/// Stretches with and without change detection alternate, with the same active variant. The
/// runner-up is a quarter slower than the best. Where stretches differ by more than the cost, an
/// account is used: the share of CPU time of change detection itself, and the additional time of
/// calls that ran in the rival. The account omits their effect on caches.

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include <sartor/sartor.hpp>

#include "harness.h"
#include "processor_time.h"
#include "regret_handler.h"

namespace sartor::bench {

const char *const bench_name = "watch";

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kRounds = 12;
constexpr auto kStretch = 10s;
constexpr std::size_t kWorkers = 2;
constexpr std::uint32_t kTurns = 4000;
/// Additional time of the rival.
constexpr double kRivals = 0.25;
/// Latencies in buckets of 10 ns; the last one is for all that took longer.
constexpr std::size_t kBuckets = 100'000;
constexpr std::uint64_t kBucket = 10;

class Workers {
public:
  explicit Workers(Runtime &runtime)
      : turns_{kTurns, static_cast<std::uint32_t>(kTurns * (1 + kRivals)), kTurns * 2} {
    for (Worker &worker : workers_)
      worker.thread = std::jthread([this, &worker, handler = runtime.handler<&turn>()](
                                       const std::stop_token &stop) {
        std::uint64_t wheel = 1;
        for (auto before = Clock::now(); !stop.stop_requested();) {
          wheel = handler(wheel, 0, turns_.data());
          const auto now = Clock::now();
          const auto took = static_cast<std::uint64_t>((now - before).count()) / kBucket;
          worker.latencies[std::min(took, kBuckets - 1)].fetch_add(1, std::memory_order_relaxed);
          worker.calls.fetch_add(1, std::memory_order_relaxed);
          before = now;
        }
      });
  }

  [[nodiscard]] double calls() const {
    double sum = 0;
    for (const Worker &worker : workers_)
      sum += static_cast<double>(worker.calls.load(std::memory_order_relaxed));
    return sum;
  }
  /// Returns the CPU time in seconds that the process has used for anything but the calls.
  [[nodiscard]] double time_for_others() {
    double time = processor_time_of_process();
    for (Worker &worker : workers_)
      time -= processor_time_of(worker.thread);
    return time;
  }
  /// Returns the latencies since the last call, by bucket.
  std::vector<std::uint64_t> take_latencies() {
    std::vector<std::uint64_t> taken(kBuckets);
    for (Worker &worker : workers_)
      for (std::size_t i = 0; i < kBuckets; ++i)
        taken[i] += worker.latencies[i].exchange(0, std::memory_order_relaxed);
    return taken;
  }

private:
  struct alignas(64) Worker {
    std::atomic<std::uint64_t> calls = 0;
    std::unique_ptr<std::atomic<std::uint64_t>[]> latencies =
        std::make_unique<std::atomic<std::uint64_t>[]>(kBuckets);
    std::jthread thread{};
  };
  std::array<std::uint32_t, kMostVariants> turns_;
  std::array<Worker, kWorkers> workers_;
};

double percentile(const std::vector<std::uint64_t> &latencies, double share) {
  double all = 0, seen = 0;
  for (const std::uint64_t count : latencies)
    all += static_cast<double>(count);
  for (std::size_t i = 0; i < latencies.size(); ++i) {
    seen += static_cast<double>(latencies[i]);
    if (seen >= share * all)
      return static_cast<double>(i + 1);
  }
  return static_cast<double>(latencies.size());
}

/// Returns the share of calls whose time was close to the rival's.
double share_of_rival(const std::vector<std::uint64_t> &latencies) {
  const double usual = percentile(latencies, 0.5);
  const auto in_buckets = [&](double times) { return static_cast<std::size_t>(times * usual); };
  double all = 0, rivals = 0;
  for (std::size_t i = 0; i < latencies.size(); ++i) {
    const auto count = static_cast<double>(latencies[i]);
    all += count;
    if (i >= in_buckets(1 + 0.6 * kRivals) && i <= in_buckets(1 + 1.4 * kRivals))
      rivals += count;
  }
  return rivals / all;
}

struct Stretch {
  double rate, p99;
  double others; ///< Share of the CPU time that is not used by the calls.
  double rivals; ///< Share of the calls that took as long as the rival.
};

Stretch stretch(Workers &workers) {
  workers.take_latencies();
  const double calls = workers.calls();
  const double others = workers.time_for_others();
  const auto began = Clock::now();
  std::this_thread::sleep_for(kStretch);
  const double seconds = std::chrono::duration<double>(Clock::now() - began).count();
  const double made = workers.calls() - calls;
  const double taken = workers.time_for_others() - others;
  const auto latencies = workers.take_latencies();
  return {made / seconds, percentile(latencies, 0.99), taken / (seconds * kWorkers),
          share_of_rival(latencies)};
}

} // namespace

std::vector<Figure> measure() {
  Runtime runtime;
  Workers workers(runtime);
  const Configuration best{{"variant", unguarded(0)}};
  runtime.specialize(best); // also if the exploration is undecided
  ExplorerOptions options;
  options.unguarded = {"variant"};
  options.choices["variant"] = {0, 1, 2};
  Explorer explorer(runtime, {.read = [&] { return workers.calls(); }, .unit = "calls/s"}, options);
  Samples throughput, latency, account, rivals;
  for (std::size_t round = 0; round < kRounds; ++round) {
    Stretch watched{}, unwatched{};
    for (const bool watch : {round % 2 == 0, round % 2 != 0}) {
      if (watch) {
        const std::size_t explored = explorer.explorations();
        explorer.start();
        while (explorer.explorations() == explored)
          std::this_thread::sleep_for(10ms);
        if (runtime.configuration() != best)
          throw std::runtime_error("the explorer chose " + runtime.configuration().text() +
                                   ": there is nothing to compare");
      }
      (watch ? watched : unwatched) = stretch(workers);
      explorer.stop();
      runtime.specialize(best);
    }
    throughput.push_back(1 - watched.rate / unwatched.rate);
    latency.push_back(watched.p99 / unwatched.p99 - 1);
    rivals.push_back(watched.rivals - unwatched.rivals);
    account.push_back(watched.others - unwatched.others + rivals.back() * kRivals);
  }
  return {{"throughput_lost", "ratio", median(throughput), at_most(0.005)},
          {"throughput_lost_by_account", "ratio", median(account), at_most(0.005)},
          {"calls_in_rival", "ratio", median(rivals)},
          {"p99_lost", "ratio", median(latency), at_most(0.01)}};
}

} // namespace sartor::bench
