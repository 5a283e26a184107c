// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Measures the cost of exploration for the explored program. Two threads, as many as there
/// are cores, call a handler continuously. Of 7 and of 32 variants, half have half the throughput
/// of the best, and the others from 100 % down to 92 %. The best is active from the start, so each
/// loss against the time before and after is due to the exploration: samples of other variants,
/// compiles, and the explorer itself. The share of CPU time of the last two is shown separately.

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <random>
#include <thread>

#include <sartor/sartor.hpp>

#include "harness.h"
#include "processor_time.h"
#include "regret_handler.h"

namespace sartor::bench {

const char *const bench_name = "explore-regret";

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kRuns = 11;
constexpr std::size_t kWorkers = 2;
constexpr std::uint32_t kTurns = 1000; // of the best
constexpr auto kBaseline = 1s;
constexpr std::size_t kSwitches = 2000;

using Turns = std::array<std::uint32_t, kMostVariants>;

class Workers {
public:
  Workers(Runtime &runtime, const Turns &turns) {
    for (Worker &worker : workers_)
      worker.thread = std::jthread(
          [&worker, &turns, handler = runtime.handler<&turn>()](const std::stop_token &stop) {
            for (std::uint64_t wheel = 1; !stop.stop_requested();) {
              wheel = handler(wheel, 0, turns.data());
              worker.calls.fetch_add(1, std::memory_order_relaxed);
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

private:
  struct alignas(64) Worker {
    std::atomic<std::uint64_t> calls = 0;
    std::jthread thread{};
  };
  std::array<Worker, kWorkers> workers_;
};

/// Returns the calls per second during `run`.
template <class Run> double rate_during(const Workers &workers, Run run) {
  const double calls = workers.calls();
  const auto begin = Clock::now();
  run();
  return (workers.calls() - calls) / std::chrono::duration<double>(Clock::now() - begin).count();
}

/// The first variant is the best; the generic code, which also computes it, is not faster.
Turns turns_of(std::size_t variants, std::uint64_t seed) {
  Turns turns{};
  for (std::size_t i = 0; i < variants; ++i)
    turns[i] = i % 2 == 1 ? 2 * kTurns : kTurns + kTurns / 50 * static_cast<std::uint32_t>(i % 5);
  std::mt19937_64 random(seed);
  std::shuffle(turns.begin() + 1, turns.begin() + static_cast<std::ptrdiff_t>(variants), random);
  return turns;
}

struct Lost {
  Samples throughput; ///< Percent.
  Samples compiling;  ///< Percent of the CPU time, for compiles and the explorer itself.
  Samples seconds;
};

Lost explore(std::size_t variants) {
  Lost lost;
  for (std::size_t run = 0; run < kRuns; ++run) {
    const Turns turns = turns_of(variants, run + 1);
    Runtime runtime; // new, so that nothing is compiled yet
    ExplorerOptions options;
    options.unguarded = {"variant"};
    options.tolerance = 0.03; // variants are 2 % apart, and the machine's noise is larger
    options.most_samples = 500;
    for (std::size_t i = 0; i + 1 < variants; ++i) // and the generic code
      options.choices["variant"].push_back(i);
    const Configuration best{{"variant", unguarded(0)}};
    runtime.specialize(best);
    Workers workers(runtime, turns);
    Explorer explorer(runtime, {.read = [&] { return workers.calls(); }, .unit = "calls/s"},
                      options);
    const auto rest = [] { std::this_thread::sleep_for(kBaseline); };
    std::this_thread::sleep_for(100ms);
    const double before = rate_during(workers, rest);
    const auto begin = Clock::now();
    const double others = workers.time_for_others();
    const double exploring = rate_during(workers, [&] { explorer.explore(); });
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    lost.seconds.push_back(seconds);
    lost.compiling.push_back(100 * (workers.time_for_others() - others) / (seconds * kWorkers));
    runtime.specialize(best);
    const double after = rate_during(workers, rest);
    lost.throughput.push_back(100 * (1 - exploring / ((before + after) / 2)));
  }
  return lost;
}

/// Measures the microseconds of a switch to another compiled variant.
Interval switch_time() {
  Runtime runtime;
  const Turns turns = turns_of(2, 1);
  const Workers workers(runtime, turns);
  const Configuration variants[] = {{}, {{"variant", unguarded(1)}}};
  for (const Configuration &variant : variants)
    runtime.specialize(variant);
  Samples samples;
  for (std::size_t i = 0; i < kSwitches; ++i) {
    const auto begin = Clock::now();
    runtime.specialize(variants[i % 2]);
    samples.push_back(std::chrono::duration<double, std::micro>(Clock::now() - begin).count());
  }
  return median(samples);
}

} // namespace

std::vector<Figure> measure() {
  const Lost few = explore(7);
  const Lost many = explore(32);
  return {
      {"throughput_lost_7", "%", median(few.throughput), at_most(5)},
      {"throughput_lost_32", "%", median(many.throughput), at_most(5)},
      {"compiling_7", "%", median(few.compiling)},
      {"compiling_32", "%", median(many.compiling)},
      {"seconds_7", "s", median(few.seconds)},
      {"seconds_32", "s", median(many.seconds)},
      {"switch_us", "us", switch_time()},
  };
}

} // namespace sartor::bench
