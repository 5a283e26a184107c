// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Measures the cost of dispatch to the active variant: ticks of a call through a handle, and
/// through the plain function pointer that C callers use, over a direct call of the same native
/// function. Also compares direct calls of handlers with those of a plain function.

#include <algorithm>
#include <iterator>

#include <sartor/sartor.hpp>

#include "chain.h"
#include "direct_handler.h"
#include "dispatch_handler.h"
#include "harness.h"

namespace sartor::bench {

const char *const bench_name = "dispatch";

namespace {

constexpr std::size_t kCalls = 10'000;
constexpr std::size_t kRounds = 301;

template <auto Function> struct Call {
  std::uint64_t operator()(std::uint64_t state, std::uint64_t key) const {
    return Function(state, key);
  }
};

/// Measures the cost of a call without a handle, in ticks over that of a plain function, and the
/// gain of a handler whose modes are folded.
std::vector<Figure> measure_direct_calls(Runtime &runtime) {
  const std::vector<std::uint64_t> keys(kCalls, 7);
  const auto run = [&keys](auto call) {
    return [&keys, call] {
      std::uint64_t result = chain(call, keys);
      keep(result);
    };
  };
  const auto before = interleave(
      {{"plain", run(Call<touch_plainly>())}, {"direct, native code", run(Call<touch_directly>())}},
      kRounds);
  const Invariant modes_stay(&modes, sizeof modes);
  runtime.specialize({{"factor", unguarded(std::uint64_t{3})}});
  const auto samples = interleave({{"plain", run(Call<touch_plainly>())},
                                   {"direct, variant", run(Call<touch_directly>())},
                                   {"direct, may throw", run(Call<touch_or_throw>())},
                                   {"plain, by mode", run(Call<touch_by_mode_plainly>())},
                                   {"direct, modes folded", run(Call<touch_by_mode>())}},
                                  kRounds);
  return {
      {"direct_call_cycles", "cycles", difference(samples[1], samples[0], kCalls), at_most(2)},
      {"direct_native_cycles", "cycles", difference(before[1], before[0], kCalls)},
      {"direct_frame_cycles", "cycles", difference(samples[2], samples[0], kCalls)},
      {"modes_checked_over_folded", "ratio", ratio(samples[3], samples[4])},
  };
}

} // namespace

std::vector<Figure> measure() {
  Runtime runtime;
  const auto handle = runtime.handler<&touch>();
  const auto entry = handle.function();
  const std::vector<std::uint64_t> keys(kCalls, 7);

  const auto run = [&keys](auto call) {
    return [&keys, call] {
      std::uint64_t result = chain(call, keys);
      keep(result);
    };
  };
  // Measures calls within another handler, which may make thousands of them.
  const auto nested = [&run](auto call) {
    return [body = run(call)] {
      const detail::ReadSection outer;
      body();
    };
  };
  const auto samples = interleave({{"direct", run(Call<touch>())},
                                   {"handle", run(handle)},
                                   {"c entry", run(entry)},
                                   {"nested handle", nested(handle)},
                                   {"nested c entry", nested(entry)}},
                                  kRounds);
  std::vector<Figure> figures{
      {"handle_call_cycles", "cycles", difference(samples[1], samples[0], kCalls), at_most(5)},
      {"c_entry_call_cycles", "cycles", difference(samples[2], samples[0], kCalls), at_most(5)},
      {"nested_call_over_outer", "ratio", ratio(samples[3], samples[1]), at_most(1.5)},
      {"nested_c_entry_over_outer", "ratio", ratio(samples[4], samples[2]), at_most(1.5)},
      {"plain_call_cycles", "cycles", difference(samples[0], Samples(kRounds, 0), kCalls)},
  };
  std::ranges::move(measure_direct_calls(runtime), std::back_inserter(figures));
  return figures;
}

} // namespace sartor::bench
