// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Measures the time from a request until its fully optimized variant is active with the
/// out-of-process compiler, over the same with the in-process compiler. Also measures the time to
/// start a compiler process.

#include <chrono>
#include <random>
#include <stdexcept>

#include <sartor/sartor.hpp>

#include "compile_handler.h"
#include "harness.h"

namespace sartor::bench {

const char *const bench_name = "out-of-process";

namespace {

constexpr std::size_t kRounds = 60;
constexpr std::size_t kWarmup = 3;
constexpr std::size_t kBlocks[] = {8, 16, 32};

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

/// Requests a new configuration; returns the time until its last variant is active.
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
  Runtime out_of_process({.compiler = CompilerLocation::out_of_process});
  specialize(out_of_process, {{"B", 4}, {"N", 64}});
  const double first = milliseconds_since(begin);
  Runtime in_process({.compiler = CompilerLocation::in_process});

  Samples out_of_process_times;
  Samples in_process_times;
  std::mt19937_64 random(4); // NOLINT(*-random-generator-seed): runs can be repeated
  for (std::size_t round = 0; round < kWarmup + kRounds; ++round) {
    const std::size_t n = 64 * (round + 2); // a new value each time
    const Configuration configuration = {{"B", kBlocks[round % std::size(kBlocks)]}, {"N", n}};
    const bool out_of_process_first = random() % 2 == 0;
    if (out_of_process_first)
      out_of_process_times.push_back(specialize(out_of_process, configuration));
    in_process_times.push_back(specialize(in_process, configuration));
    if (!out_of_process_first)
      out_of_process_times.push_back(specialize(out_of_process, configuration));
    if (round + 1 == kWarmup) {
      out_of_process_times.clear();
      in_process_times.clear();
    }
  }
  return {
      {"beside_over_inside", "ratio", ratio(out_of_process_times, in_process_times), at_most(1.15)},
      {"beside_ms", "ms", median(out_of_process_times)},
      {"inside_ms", "ms", median(in_process_times)},
      {"first_beside_ms", "ms", {first, first, first}}, // once: includes the start of the process
  };
}

} // namespace sartor::bench
