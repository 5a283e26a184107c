// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Checks that a program that is specialized repeatedly neither loses a call nor grows:
/// rounds of 10,000 switches under two calling threads that verify each result. One switch in 25 is
/// to a new configuration, for which the code cache must make room. Growth is the difference in
/// memory between a round and the previous one.

#include <thread>

#include <sartor/sartor.hpp>

#include "harness.h"
#include "resident.h"
#include "switch_handler.h"

namespace sartor::bench {

const char *const bench_name = "switch";

namespace {

constexpr std::size_t kRounds = 16;
constexpr std::size_t kSwitches = 10'000; // in a round
// New configurations that are activated first, until the caches of the compiler and of the
// allocator have reached their final size; after that, memory must not grow.
constexpr std::size_t kSettling = 1'500;
constexpr std::size_t kNewEvery = 25;
constexpr std::uint64_t kUsual = 6;     // configurations that are used repeatedly
constexpr std::size_t kRemembered = 16; // capacity of the code cache in variants

std::uint64_t expected(std::uint64_t state, std::uint64_t key) {
  return (state ^ (state >> 7)) * key + 1;
}

constexpr std::size_t kSampledEvery = 50;

std::size_t variant_bytes() {
  Runtime runtime;
  return runtime.specialize({{"K", 1}}).front().resident_bytes;
}

/// Makes calls until it is stopped, alternately with the key of the active variant and with another
/// one.
struct Caller {
  std::uint64_t made = 0;  // calls made
  std::uint64_t begun = 0; // calls that the handler counted
  std::uint64_t wrong = 0; // wrong results

  void run(const std::stop_token &stop, Handler<decltype(counted_step)> handler) {
    std::uint64_t state = 1;
    for (std::uint64_t key = 1; !stop.stop_requested(); key = key % (2 * kUsual) + 1) {
      const std::uint64_t right = expected(state, key);
      wrong += handler(state, key, &begun) != right;
      ++made;
      state = right;
    }
  }

  [[nodiscard]] std::uint64_t lost_or_wrong() const {
    return wrong + (made > begun ? made - begun : begun - made);
  }
};

} // namespace

std::vector<Figure> measure() {
  Options options;
  options.code_cache_bytes = kRemembered * variant_bytes();
  Runtime runtime(options);
  const auto handler = runtime.handler<&counted_step>();

  Caller callers[2];
  Samples rounds; // resident bytes of each round: the median of its samples
  {
    std::vector<std::jthread> threads;
    for (Caller &caller : callers)
      threads.emplace_back([&](const std::stop_token &stop) { caller.run(stop, handler); });
    std::size_t seen = kUsual;
    for (std::size_t i = 0; i < kSettling; ++i)
      runtime.specialize({{"K", ++seen}});
    for (std::size_t round = 0; round < kRounds; ++round) {
      Samples samples;
      for (std::size_t i = 0; i < kSwitches; ++i) {
        runtime.specialize({{"K", i % kNewEvery == 0 ? ++seen : 1 + i % kUsual}});
        if (i % kSampledEvery == 0)
          samples.push_back(resident_bytes());
      }
      rounds.push_back(median(samples).value);
    }
  }
  const Samples before(rounds.begin(), rounds.end() - 1);
  const Samples after(rounds.begin() + 1, rounds.end());

  const Statistics statistics = runtime.statistics();
  const auto count = [](double value) { return Interval{value, value, value}; };
  const auto wrong = callers[0].lost_or_wrong() + callers[1].lost_or_wrong();
  return {
      {"lost_or_wrong_calls", "calls", count(static_cast<double>(wrong)), at_most(0)},
      {"resident_growth_bytes", "bytes", difference(after, before, 1), no_more_than(0)},
      {"calls", "calls", count(static_cast<double>(callers[0].made + callers[1].made))},
      {"switches", "", count(static_cast<double>(statistics.switches))},
      {"compiles", "", count(static_cast<double>(statistics.compiles))},
      {"variants_reclaimed", "", count(static_cast<double>(statistics.reclaimed))},
  };
}

} // namespace sartor::bench
