// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// How long a request waits for its fully optimised variant with the compiler beside the program,
/// over the same with the compiler inside; and what it takes to start one.

#include <chrono>
#include <random>
#include <stdexcept>

#include <sartor/sartor.hpp>

#include "compile_handler.h"
#include "harness.h"

namespace sartor::bench {

const char *const bench_name = "beside";

namespace {

constexpr std::size_t kRounds = 60;
constexpr std::size_t kWarmup = 3;
constexpr std::size_t kBlocks[] = {8, 16, 32};

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

/// A configuration never seen before, from the request until its last variant is in force.
double specialize(Runtime &runtime, const Configuration &configuration) {
  const auto begin = Clock::now();
  const std::vector<VariantInfo> variants = runtime.specialize(configuration);
  const double milliseconds = milliseconds_since(begin);
  if (variants.empty() || variants.front().compile_time == std::chrono::nanoseconds())
    throw std::runtime_error("not compiled: " + configuration.text());
  return milliseconds;
}

} // namespace

std::vector<Figure> measure() {
  const auto begin = Clock::now();
  Runtime beside({.compiler = CompilerPlace::beside});
  specialize(beside, {{"B", 4}, {"N", 64}});
  const double first = milliseconds_since(begin);
  Runtime inside({.compiler = CompilerPlace::inside});

  Samples times_beside;
  Samples times_inside;
  std::mt19937_64 random(4); // NOLINT(*-random-generator-seed): runs can be repeated
  for (std::size_t round = 0; round < kWarmup + kRounds; ++round) {
    const std::size_t n = 64 * (round + 2); // another one each time
    const Configuration configuration = {{"B", kBlocks[round % std::size(kBlocks)]}, {"N", n}};
    const bool beside_first = random() % 2 == 0;
    if (beside_first)
      times_beside.push_back(specialize(beside, configuration));
    times_inside.push_back(specialize(inside, configuration));
    if (!beside_first)
      times_beside.push_back(specialize(beside, configuration));
    if (round + 1 == kWarmup) {
      times_beside.clear();
      times_inside.clear();
    }
  }
  return {
      {"beside_over_inside", "ratio", ratio(times_beside, times_inside), at_most(1.15)},
      {"beside_ms", "ms", median(times_beside)},
      {"inside_ms", "ms", median(times_inside)},
      {"first_beside_ms", "ms", {first, first, first}}, // once: with the process's start
  };
}

} // namespace sartor::bench
