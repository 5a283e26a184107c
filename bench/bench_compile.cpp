// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// How long a request waits for its variant: the first one in force (quick tier), the fully
/// optimised one, and one from the cache, over the same specialization done the plain way.

#include <algorithm>
#include <chrono>
#include <future>
#include <random>
#include <stdexcept>
#include <thread>

#include <sartor/sartor.hpp>

#include "compile_handler.h"
#include "harness.h"
#include "plain_jit.h"

namespace sartor::bench {

const char *const bench_name = "compile";

namespace {

constexpr std::size_t kRounds = 60;
constexpr std::size_t kWarmup = 2;
constexpr std::size_t kBlocks[] = {8, 16, 32};

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

struct Times {
  Samples plain, first, full, cached;
};

/// Asks for a configuration never seen before, and notes when its first and its last variant come
/// into force.
void specialize(Runtime &runtime, const Configuration &configuration, Times &times) {
  const std::uint64_t switches = runtime.statistics().switches;
  const auto begin = Clock::now();
  auto done = runtime.specialize_async(configuration);
  while (runtime.statistics().switches == switches &&
         done.wait_for(std::chrono::seconds(0)) != std::future_status::ready)
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  times.first.push_back(milliseconds_since(begin));
  const std::vector<VariantInfo> variants = done.get();
  times.full.push_back(milliseconds_since(begin));
  if (variants.empty() || variants.front().compile_time == std::chrono::nanoseconds())
    throw std::runtime_error("not compiled: " + configuration.text());
}

/// The same configuration again, from the memory cache.
void specialize_again(Runtime &runtime, const Configuration &configuration, Times &times) {
  runtime.specialize({});
  const auto begin = Clock::now();
  const std::vector<VariantInfo> variants = runtime.specialize(configuration);
  times.cached.push_back(milliseconds_since(begin));
  if (variants.empty() || variants.front().compile_time != std::chrono::nanoseconds())
    throw std::runtime_error("not from the cache: " + configuration.text());
}

void check(void *code, std::size_t n, std::size_t block) {
  const std::vector<std::uint64_t> a(n * n, 2);
  std::vector<std::uint64_t> c(n * n);
  reinterpret_cast<decltype(&bench_product)>(code)(a.data(), a.data(), c.data(), n, block);
  if (std::ranges::count(c, 4 * n) != static_cast<std::ptrdiff_t>(n * n))
    throw std::runtime_error("the plain way's product is wrong");
}

} // namespace

std::vector<Figure> measure() {
  Runtime runtime;
  PlainJit plain(__start_sartor_modules[0]);
  check(plain.compile("bench_product", {{"N", 64}, {"B", 16}}), 64, 16);

  Times times;
  std::mt19937_64 random(4); // NOLINT(*-random-generator-seed): runs can be repeated
  for (std::size_t round = 0; round < kWarmup + kRounds; ++round) {
    const std::size_t n = 64 * (round + 2); // another one each time
    const std::size_t block = kBlocks[round % std::size(kBlocks)];
    const auto plainly = [&] {
      const auto begin = Clock::now();
      plain.compile("bench_product", {{"N", n}, {"B", block}});
      times.plain.push_back(milliseconds_since(begin));
    };
    const bool plain_first = random() % 2 == 0;
    if (plain_first)
      plainly();
    const Configuration configuration = {{"B", block}, {"N", n}};
    specialize(runtime, configuration, times);
    specialize_again(runtime, configuration, times);
    if (!plain_first)
      plainly();
    if (round + 1 == kWarmup)
      times = {};
  }

  return {
      {"first_variant_over_plain", "ratio", ratio(times.first, times.plain), at_most(0.6)},
      {"full_variant_over_plain", "ratio", ratio(times.full, times.plain), at_most(1.0)},
      {"cached_over_compiled", "ratio", ratio(times.cached, times.full), at_most(0.02)},
      {"plain_ms", "ms", median(times.plain)},
      {"first_variant_ms", "ms", median(times.first)},
      {"full_variant_ms", "ms", median(times.full), {}, 10},
      {"cached_ms", "ms", median(times.cached)},
  };
}

} // namespace sartor::bench
