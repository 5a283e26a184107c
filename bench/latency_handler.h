// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BENCH_LATENCY_HANDLER_H
#define SARTOR_BENCH_LATENCY_HANDLER_H

#include <cstdint>

namespace sartor::bench {

inline constexpr std::uint64_t kWays = 6;

/// Answers a request of one of two kinds: turns a wheel as often as `way` requires for that kind.
/// `turns` has a number for each way, first for one kind, then for the other.
std::uint64_t answer(std::uint64_t wheel, std::uint64_t way, std::uint64_t kind,
                     const std::uint32_t *turns);

} // namespace sartor::bench

#endif
