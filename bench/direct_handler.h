// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BENCH_DIRECT_HANDLER_H
#define SARTOR_BENCH_DIRECT_HANDLER_H

#include <cstdint>

namespace sartor::bench {

/// What a program may be switched to while it runs, and usually is not.
struct Modes {
  bool counts = false;
  bool limits = false;
  bool traces = false;
};
extern Modes modes;
extern std::uint64_t factor;

/// Called as what they are: generic code computes with what `factor` is. An exception may leave the
/// second one.
std::uint64_t touch_directly(std::uint64_t state, std::uint64_t key) noexcept;
std::uint64_t touch_or_throw(std::uint64_t state, std::uint64_t key);
/// Generic code looks at `modes`.
std::uint64_t touch_by_mode(std::uint64_t state, std::uint64_t key) noexcept;

/// Plain functions: what the variants compute, and what the last one does, modes looked at.
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
