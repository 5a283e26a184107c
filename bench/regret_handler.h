// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BENCH_REGRET_HANDLER_H
#define SARTOR_BENCH_REGRET_HANDLER_H

#include <cstdint>

namespace sartor::bench {

inline constexpr std::uint64_t kMostVariants = 32;

/// Turns a wheel as often as the variant requires: `turns` has a number for each.
std::uint64_t turn(std::uint64_t wheel, std::uint64_t variant, const std::uint32_t *turns);

} // namespace sartor::bench

#endif
