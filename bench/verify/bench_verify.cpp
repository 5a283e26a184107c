// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Measures what comparing variants with the native code costs.

#include <array>
#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <thread>
#include <vector>

#include <sartor/sartor.hpp>

#include "harness.h"
#include "matmul_versions.h"
#include "verify_handler.h"
#include "worker.h"

namespace sartor::bench {

const char *const bench_name = "verify";

namespace {

using namespace std::chrono_literals;

constexpr std::size_t kSamples = 101;
constexpr std::size_t kSamplesIdle = 61;
constexpr unsigned kRounds = 1000;
constexpr unsigned kDegree = 12;
constexpr std::size_t kSize = 128; // of the matrices
constexpr std::size_t kBlock = 16;

Options with(const Verification &verify) {
  Options options;
  options.verify = verify;
  return options;
}

/// Waits until calls are compared, or, if none is to be, until the first ones have been.
template <class Call> void settle(const Runtime &runtime, bool all, const Call &call) {
  const auto begin = std::chrono::steady_clock::now();
  for (std::uint64_t before = 0; std::chrono::steady_clock::now() - begin < 20s;) {
    for (int i = 0; i < 200; ++i)
      call();
    const std::uint64_t compared = runtime.statistics().verified;
    if (compared > before && (all || compared >= 100))
      return;
    before = compared;
    std::this_thread::sleep_for(1ms);
  }
  throw std::runtime_error("no call was compared");
}

/// The cost of a compared call divided by that of the native code.
template <class Compared, class Native>
Interval cost_of_check(Runtime &runtime, int calls, const Compared &compared,
                       const Native &native) {
  settle(runtime, /*all=*/true, compared);
  const auto repeated = [calls](const auto &call) {
    return [calls, &call] {
      for (int i = 0; i < calls; ++i)
        call();
    };
  };
  const auto samples =
      interleave({{"compared", repeated(compared)}, {"native", repeated(native)}}, kSamples);
  if (runtime.statistics().verified < kSamples * static_cast<unsigned>(calls))
    throw std::runtime_error("not all calls were compared");
  return ratio(samples[0], samples[1]);
}

Interval cost_of_pure_check() {
  Runtime runtime(with({.every = 1}));
  const auto handler = runtime.handler<&mixed>();
  runtime.specialize({{"rounds", kRounds}});
  std::uint64_t x = 1;
  return cost_of_check(
      runtime, 200, [&] { keep(x = handler(x, kRounds)); }, [&] { keep(x = mixed(x, kRounds)); });
}

Interval cost_of_writes_check() {
  Runtime runtime(with({.every = 1}));
  const auto handler = runtime.handler<&evaluated>();
  runtime.specialize({{"degree", kDegree}});
  std::vector<float> xs(kValues);
  std::vector<float> values(kValues);
  std::array<float, kDegree> coefficients{};
  for (std::size_t i = 0; i < xs.size(); ++i)
    xs[i] = static_cast<float>(i) / static_cast<float>(kValues);
  for (std::size_t i = 0; i < coefficients.size(); ++i)
    coefficients[i] = static_cast<float>(i + 1);
  return cost_of_check(
      runtime, 100,
      [&] { handler(xs.data(), values.data(), kValues, coefficients.data(), kDegree); },
      [&] { evaluated(xs.data(), values.data(), kValues, coefficients.data(), kDegree); });
}

/// A process that calls short calls of a pure handler.
Worker mixer(const Verification &verify) {
  return Worker([verify](const auto &serve) {
    Runtime runtime(with(verify));
    const auto handler = runtime.handler<&mixed>();
    runtime.specialize({{"rounds", 16}});
    std::uint64_t x = 1;
    if (verify != Verification::off())
      settle(runtime, /*all=*/false, [&] { x = handler(x, 16); });
    serve([&](int count) {
      for (int i = 0; i < count; ++i)
        x = handler(x, 16);
      keep(x);
    });
  });
}

/// A process that multiplies matrices.
Worker multiplier(const Verification &verify) {
  return Worker([verify](const auto &serve) {
    Runtime runtime(with(verify));
    const auto handler = runtime.handler<&product>();
    runtime.specialize({{"B", kBlock}});
    const std::vector<std::uint64_t> a(kSize * kSize, 3);
    const std::vector<std::uint64_t> b(kSize * kSize, 5);
    std::vector<std::uint64_t> c(kSize * kSize);
    const auto call = [&] { handler(a.data(), b.data(), c.data(), kSize, kBlock); };
    for (int i = 0; i < 500; ++i) // the first calls are compared
      call();
    serve([&](int count) {
      for (int i = 0; i < count; ++i)
        call();
      keep(c);
    });
  });
}

/// Throughput with the default settings divided by that without comparison.
Interval idle_cost(Worker (*caller)(const Verification &), int count) {
  const Worker on = caller(Verification::on());
  const Worker off = caller(Verification::off());
  const auto samples = interleave(
      {{"on", [&] { on.work(count); }}, {"off", [&] { off.work(count); }}}, kSamplesIdle);
  return ratio(samples[1], samples[0]);
}

} // namespace

std::vector<Figure> measure() {
  return {{"idle_cost_short_calls", "ratio", idle_cost(mixer, 20'000'000), at_least(0.995)},
          {"idle_cost_matmul", "ratio", idle_cost(multiplier, 250), at_least(0.995)},
          {"pure_check_over_call", "ratio", cost_of_pure_check(), at_most(2.5)},
          {"writes_check_over_call", "ratio", cost_of_writes_check(), at_most(4)}};
}

} // namespace sartor::bench
