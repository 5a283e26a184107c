// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BENCH_DIRECT_HANDLER_H
#define SARTOR_BENCH_DIRECT_HANDLER_H

#include <cstdint>

namespace sartor::bench {

/// Modes that a program may switch at run time, and usually does not.
struct Modes {
  bool counts = false;
  bool limits = false;
  bool traces = false;
};
extern Modes modes;
extern std::uint64_t factor;

/// Called directly: generic code computes with the value of `factor`. The second function may
/// throw.
std::uint64_t touch_directly(std::uint64_t state, std::uint64_t key) noexcept;
std::uint64_t touch_or_throw(std::uint64_t state, std::uint64_t key);
/// Generic code reads `modes`.
std::uint64_t touch_by_mode(std::uint64_t state, std::uint64_t key) noexcept;

/// Plain functions: the computation of the variants, and that of touch_by_mode() including the
/// check of the modes.
std::uint64_t touch_plainly(std::uint64_t state, std::uint64_t key);
std::uint64_t touch_by_mode_plainly(std::uint64_t state, std::uint64_t key);

/// Never called.
void count_touch();
void trace_touch(std::uint64_t key);

inline std::uint64_t touched(const Modes &now, std::uint64_t state, std::uint64_t key) {
  if (now.counts)
    count_touch();
  if (now.limits && key > 1000)
    key = 1000;
  if (now.traces)
    trace_touch(key);
  return (state ^ key) * 3;
}

} // namespace sartor::bench

#endif
