// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_ARITHMETIC_H
#define SARTOR_TEST_ARITHMETIC_H

#include <cstdint>

/// x * factor. Points: "factor" (enum 2, 3, 5), "common" (enum 1, 2).
std::uint64_t scale(std::uint64_t x, std::uint64_t factor, unsigned common);
/// x + offset. Points: "offset" (range -4 to 4), "common" (enum 1, 2).
int shift(int x, int offset, unsigned common);
/// The sum of x * i for i below "count" (generic); calls a function of another file with the point
/// "weight" (generic).
std::uint64_t weighted_sum(std::uint64_t x, std::uint64_t count, std::uint64_t weight);
/// Not a handler. Point: "weight" (generic).
std::uint64_t weigh(std::uint64_t x, std::uint64_t weight);
/// 1 for n below 2, otherwise n times the value for n - step. Point: "step" (enum 1, 2).
std::uint64_t descend(std::uint64_t n, std::uint64_t step);
/// "ready" is assumed; returns 10 if it is true, otherwise 20.
int when_ready(bool ready);

#endif
