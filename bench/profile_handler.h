// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BENCH_PROFILE_HANDLER_H
#define SARTOR_BENCH_PROFILE_HANDLER_H

#include <cstdint>

namespace sartor::bench {

/// A small handler with a point that has counters, and the same with one that has a sketch. "C" is
/// always 1.
std::uint64_t ranged_step(std::uint64_t state, std::uint64_t key);
std::uint64_t generic_step(std::uint64_t state, std::uint64_t key);

} // namespace sartor::bench

#endif
