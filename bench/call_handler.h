// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BENCH_CALL_HANDLER_H
#define SARTOR_BENCH_CALL_HANDLER_H

#include <cstdint>

namespace sartor::bench {

/// Number of steps of padded() without padding, and for each unit of padding: 2 %.
constexpr std::uint64_t kSteps = 400;
constexpr std::uint64_t kStepsPerUnit = 8;

/// Returns key * 3, after kSteps multiplications in a row and `padding` (0 to 6) times
/// kStepsPerUnit more, which do not change the result. Point: "padding".
std::uint64_t padded(std::uint64_t key, std::uint64_t padding);

} // namespace sartor::bench

#endif
