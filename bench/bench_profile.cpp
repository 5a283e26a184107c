// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Measures the cost that instrumentation adds to a call: ticks per call of a handler with
/// one instrumented point over the same variant without, in a chain of dependent calls. Keys have a
/// skewed distribution: key k of 1,000 has a frequency proportional to 1 / k.

#include <random>
#include <stdexcept>

#include <sartor/sartor.hpp>

#include "chain.h"
#include "harness.h"
#include "profile_handler.h"

namespace sartor::bench {

const char *const bench_name = "profile";

namespace {

constexpr std::size_t kCalls = 10'000;
constexpr std::size_t kRounds = 301;
constexpr std::size_t kKeys = 1'000;

std::vector<std::uint64_t> skewed_keys() {
  std::vector<double> weights;
  for (std::size_t i = 1; i <= kKeys; ++i)
    weights.push_back(1.0 / static_cast<double>(i));
  std::discrete_distribution<std::uint64_t> rank(weights.begin(), weights.end());
  std::mt19937_64 random(3); // NOLINT(*-random-generator-seed): runs can be repeated
  std::vector<std::uint64_t> keys(kCalls);
  for (std::uint64_t &key : keys)
    key = rank(random);
  return keys;
}

std::unique_ptr<Runtime> instrumented(const std::map<std::string, unsigned> &every) {
  auto runtime = std::make_unique<Runtime>();
  // Specializes first, so that compiled variants are compared, not the generic code.
  runtime->specialize({{"C", unguarded(1)}});
  runtime->instrument(every);
  return runtime;
}

} // namespace

std::vector<Figure> measure() {
  const auto plain = instrumented({});
  const auto every = instrumented({{"R", 1}, {"G", 1}});
  const auto sampled = instrumented({{"G", 100}});
  const std::vector<std::uint64_t> keys = skewed_keys();
  const auto run = [&](const auto &handler) {
    return [handler, &keys] {
      std::uint64_t result = chain(handler, keys);
      keep(result);
    };
  };
  const auto samples = interleave({{"range", run(plain->handler<&ranged_step>())},
                                   {"range, counted", run(every->handler<&ranged_step>())},
                                   {"generic", run(plain->handler<&generic_step>())},
                                   {"generic, counted", run(every->handler<&generic_step>())},
                                   {"generic, sampled", run(sampled->handler<&generic_step>())}},
                                  kRounds);
  if (every->profile().find("R")->count != (kRounds + 1) * kCalls)
    throw std::runtime_error("calls were not counted");
  return {
      {"ranged_cycles", "cycles", difference(samples[1], samples[0], kCalls), at_most(1), 1},
      {"generic_every_cycles", "cycles", difference(samples[3], samples[2], kCalls), at_most(30),
       450},
      {"generic_sampled_cycles", "cycles", difference(samples[4], samples[2], kCalls), at_most(2)},
  };
}

} // namespace sartor::bench
