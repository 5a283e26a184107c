// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What the way to the variant in force costs: ticks of a call through a handle, and through the
/// plain function pointer that C callers get, over a direct call of the same native function.

#include <sartor/sartor.hpp>

#include "chain.h"
#include "dispatch_handler.h"
#include "harness.h"

namespace sartor::bench {

const char *const bench_name = "dispatch";

namespace {

constexpr std::size_t kCalls = 10'000;
constexpr std::size_t kRounds = 301;

struct Direct {
  std::uint64_t operator()(std::uint64_t state, std::uint64_t key) const {
    return touch(state, key);
  }
};

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
  // As within another handler, which may call thousands of them.
  const auto nested = [&run](auto call) {
    return [body = run(call)] {
      const detail::ReadSection outer;
      body();
    };
  };
  const auto samples = interleave({{"direct", run(Direct())},
                                   {"handle", run(handle)},
                                   {"c entry", run(entry)},
                                   {"nested handle", nested(handle)},
                                   {"nested c entry", nested(entry)}},
                                  kRounds);
  return {
      {"handle_call_cycles", "cycles", difference(samples[1], samples[0], kCalls), at_most(5)},
      {"c_entry_call_cycles", "cycles", difference(samples[2], samples[0], kCalls), at_most(5)},
      {"nested_call_over_outer", "ratio", ratio(samples[3], samples[1]), at_most(1.5)},
      {"nested_c_entry_over_outer", "ratio", ratio(samples[4], samples[2]), at_most(1.5)},
      {"direct_call_cycles", "cycles", difference(samples[0], Samples(kRounds, 0), kCalls)},
  };
}

} // namespace sartor::bench
