// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Measures how soon the objective of calls finds the best of seven variants, each 2 % slower
/// than the previous one, where one thread calls the handler a million times a second. Also
/// measures the cost of the rotation per call. Time runs from the start of the exploration, with
/// nothing compiled, to the decision; a run that chooses another variant counts as infinite.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <utility>

#include <x86intrin.h>

#include <sartor/sartor.hpp>

#include "call_handler.h"
#include "chain.h"
#include "dispatch_handler.h"
#include "harness.h"

namespace sartor::bench {

const char *const bench_name = "explore-call";

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kRuns = 15;
constexpr double kCallsPerSecond = 1e6;
constexpr std::uint64_t kSlowest = 6; // passed by the program: 12 % slower than the best
constexpr double kNever = 60;

double ticks_per_second() {
  const auto began = Clock::now();
  const std::uint64_t ticks_began = __rdtsc();
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  return static_cast<double>(__rdtsc() - ticks_began) /
         std::chrono::duration<double>(Clock::now() - began).count();
}

/// Makes calls at a constant rate; delays are not made up for.
void call_at_pace(const std::stop_token &stop, Handler<decltype(padded)> handler, double gap,
                  std::atomic<std::uint64_t> &wrong) {
  const auto ticks = static_cast<std::uint64_t>(gap);
  std::uint64_t next = __rdtsc();
  for (std::uint64_t key = 1; !stop.stop_requested(); ++key) {
    if (handler(key, kSlowest) != key * 3)
      ++wrong;
    const std::uint64_t now = __rdtsc();
    next = std::max(next + ticks, now);
    while (__rdtsc() < next)
      _mm_pause();
  }
}

struct Outcome {
  double seconds;
  bool right;
};

Outcome explore_once(double gap) {
  Runtime runtime;
  std::atomic<std::uint64_t> wrong = 0;
  Outcome outcome{};
  {
    const std::jthread caller(
        [&, handler = runtime.handler<&padded>()](const std::stop_token &stop) {
          call_at_pace(stop, handler, gap, wrong);
        });
    ExplorerOptions options;
    options.unguarded = {"padding"};
    const auto began = Clock::now();
    Explorer explorer(runtime, Objective::cost_of_call("sartor::bench::padded"), options);
    const Decision decision = explorer.explore();
    outcome.seconds = std::chrono::duration<double>(Clock::now() - began).count();
    outcome.right = decision.configuration == Configuration{{"padding", unguarded(0)}};
  }
  if (wrong > 0)
    throw std::runtime_error("a call gave a wrong result");
  return outcome;
}

/// A strategy that has the generic code measured without end.
class Forever final : public Strategy {
public:
  explicit Forever(std::atomic<std::uint64_t> &reported) : reported_(reported) {}

  std::optional<Configuration> ask() override {
    if (std::exchange(asked_, true))
      return std::nullopt;
    return Configuration();
  }
  void tell(const Trial &) override {
    ++reported_;
    asked_ = false;
  }
  [[nodiscard]] Decision best() const override { return {}; }
  [[nodiscard]] std::size_t sample_count() const override { return 1; }

private:
  std::atomic<std::uint64_t> &reported_;
  bool asked_ = false;
};

/// Measures the ticks that the rotation adds to a call of a tiny handler.
Interval rotation_cost() {
  constexpr std::size_t calls = 10'000;
  constexpr std::size_t rounds = 101;
  Runtime runtime;
  const auto handle = runtime.handler<&touch>();
  std::atomic<std::uint64_t> reported = 0;
  ExplorerOptions options;
  options.most_samples = ~std::size_t{0} >> 1;
  options.strategy = [&reported](const SearchSpace &) {
    return std::make_unique<Forever>(reported);
  };
  Explorer explorer(runtime, Objective::cost_of_call("sartor::bench::touch"), options);

  const std::vector<std::uint64_t> keys(calls, 7);
  const auto run = [&] {
    std::uint64_t result = chain(handle, keys);
    keep(result);
  };
  const auto rotate = [&] {
    explorer.start();
    for (const std::uint64_t before = reported; reported == before;)
      run();
  };
  const auto samples =
      interleave({{"plain", run, [&] { explorer.stop(); }}, {"rotating", run, rotate}}, rounds);
  explorer.stop();
  return difference(samples[1], samples[0], calls);
}

} // namespace

std::vector<Figure> measure() {
  const double gap = ticks_per_second() / kCallsPerSecond;
  Samples seconds;
  double right = 0;
  for (std::size_t i = 0; i < kRuns; ++i) {
    const Outcome outcome = explore_once(gap);
    seconds.push_back(outcome.right ? outcome.seconds : kNever);
    right += outcome.right;
  }
  const double share = 100 * right / static_cast<double>(kRuns);
  return {
      {"seconds_to_best", "s", median(seconds), at_most(1)},
      {"right_choices", "%", {share, share, share}},
      {"rotation_cycles_per_call", "cycles", rotation_cost()},
  };
}

} // namespace sartor::bench
