// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_ARITHMETIC_H
#define SARTOR_TEST_ARITHMETIC_H

#include <cstdint>

/// x * factor. Points: "factor" (enum 2, 3, 5), "common" (enum 1, 2).
std::uint64_t scale(std::uint64_t x, std::uint64_t factor, unsigned common);
/// x + offset. Points: "offset" (range -4 to 4), "common" (enum 1, 2).
int shift(int x, int offset, unsigned common);
/// The sum of x * i for i below "count" (generic), by a function of another file, whose point is
/// "weight" (generic).
std::uint64_t weighted_sum(std::uint64_t x, std::uint64_t count, std::uint64_t weight);
/// Not a handler itself. Point: "weight" (generic).
std::uint64_t weigh(std::uint64_t x, std::uint64_t weight);
/// 1 for n below 2, else n * the same of n - step. Point: "step" (enum 1, 2).
std::uint64_t descend(std::uint64_t n, std::uint64_t step);
/// "ready" is assumed; returns 10 if it is so, else 20.
int when_ready(bool ready);

#endif
