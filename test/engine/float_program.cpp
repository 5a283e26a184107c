// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Runs the named case of a program with a floating-point environment of its own.

#include <atomic>
#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <stop_token>
#include <string>
#include <thread>

#include <sartor/sartor.hpp>
#include <xmmintrin.h>

#include "check.h"
#include "float_handlers.h"

namespace {

constexpr unsigned kFlushAndZero = 0x8040; ///< FTZ and DAZ.

void trap_all() { CHECK(feenableexcept(FE_ALL_EXCEPT) != -1); }
void round_up() { CHECK(std::fesetround(FE_UPWARD) == 0); }
void flush() { _mm_setcsr(_mm_getcsr() | kFlushAndZero); }

bool same(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

/// All uses of a runtime, with results that need no rounding.
void use(sartor::Runtime &runtime, const std::filesystem::path &log) {
  auto weigh = runtime.handler<&weighed>();
  runtime.instrument({{"scale", 1}});
  CHECK(same(weigh(0, 0, 2), 0));
  CHECK(!runtime.profile().points().empty());
  runtime.instrument({});
  CHECK(!runtime.specialize({{"scale", 0.0}}).empty());
  CHECK(same(weigh(0, 0, 2), 0));
  CHECK(same(weigh(4, 0, 2), 8));
  CHECK(!runtime.specialize_async(sartor::Configuration::from_json(R"({"scale": 0.1})"))
             .get()
             .empty());
  CHECK(same(weigh(4, 0, 2), 8));
  static Curve curve{3, 2};
  const sartor::Invariant invariant(&curve, sizeof curve);
  auto bound = runtime.bind<&on_curve>(&curve, sartor::_);
  bound.wait();
  (void)runtime.statistics();
  sartor::ExplorerOptions options;
  options.choices = {{"scale", {sartor::Value(1.0), sartor::Value(2.0)}}};
  options.confirm_for = std::chrono::milliseconds(50);
  options.most_samples = 20;
  std::atomic<std::uint64_t> calls = 0;
  std::jthread caller([&](const std::stop_token &stop) {
    while (!stop.stop_requested()) {
      (void)weigh(2, 0, 2);
      ++calls;
    }
  });
  sartor::Explorer explorer(runtime, sartor::Objective::rate_of(calls), options);
  (void)explorer.explore();
  CHECK(!content_of(log).empty());
}

void traps(bool before) {
  const auto log = fresh_file("sartor_floats_log");
  sartor::Options options;
  options.event_log = log;
  if (before)
    trap_all();
  sartor::Runtime runtime(options);
  if (!before)
    trap_all();
  use(runtime, log);
  CHECK(fegetexcept() == FE_ALL_EXCEPT);
  CHECK(std::fetestexcept(FE_ALL_EXCEPT) == 0);
}

/// Handlers that respect the rounding mode give the results of the native code; values and settings
/// are as without it.
void upward(bool before) {
  if (before)
    round_up();
  sartor::Runtime runtime;
  if (!before)
    round_up();
  auto handler = runtime.handler<&minded_thirds>();
  CHECK(!runtime.specialize(sartor::Configuration::from_json(R"({"thirds": 0.1})")).empty());
  for (const double x : {1.0, 3.0, 0.1, -7.0})
    for (const double value : {0.1, 1.0})
      CHECK(same(handler(value, x), minded_thirds(value, x)));
  CHECK(runtime.statistics().guard_failures.at("thirds") == 4);
  static Curve curve{3, 1};
  const sartor::Invariant invariant(&curve, sizeof curve);
  auto bound = runtime.bind<&minded_curve>(&curve, sartor::_);
  bound.wait();
  for (const double x : {1.0, 3.0, 0.1, -7.0})
    CHECK(same(bound(x), minded_curve(&curve, x)));
  auto sloped = runtime.bind<&on_curve>(&curve, sartor::_);
  sloped.wait();
  CHECK(same(sloped(3.0), 3.0)); // a third is computed with rounding to nearest
  CHECK(std::fegetround() == FE_UPWARD);
}

void flushed(bool before) {
  if (before)
    flush();
  sartor::Runtime runtime;
  if (!before)
    flush();
  auto handler = runtime.handler<&tiny>();
  CHECK(!runtime.specialize({{"tiny", 0x1p-1000}}).empty());
  for (const double x : {1.0, 0x1p-60, 0x1p-1070})
    CHECK(same(handler(0x1p-1000, x), tiny(0x1p-1000, x)));
  CHECK(!runtime.specialize(sartor::Configuration::from_json(R"({"tiny": 4.9e-324})")).empty());
  CHECK(same(handler(std::bit_cast<double>(std::uint64_t{1}), 1), 0));
  CHECK((_mm_getcsr() & kFlushAndZero) == kFlushAndZero);
}

} // namespace

int main(int, char **words) {
  const std::map<std::string, std::function<void()>> cases = {
      {"traps_before", [] { traps(true); }},     {"traps_after", [] { traps(false); }},
      {"upward_before", [] { upward(true); }},   {"upward_after", [] { upward(false); }},
      {"flushed_before", [] { flushed(true); }}, {"flushed_after", [] { flushed(false); }}};
  cases.at(words[1])();
  return 0;
}
