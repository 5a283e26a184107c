// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "twelve.h"

#include <sartor/points.h>

namespace {

inline void multiply(std::uint64_t chain, std::uint64_t steps) {
  for (std::uint64_t i = 0; i < steps; ++i) {
    chain *= 0x9e37'79b9'7f4a'7c15;
    asm volatile("" : "+r"(chain));
  }
}

} // namespace

#define SARTOR_TEST_DEFINE(n)                                                                      \
  SARTOR_HANDLER std::uint64_t part_##n(std::uint64_t x, std::uint64_t steps, bool twice) {        \
    const std::uint64_t made = sartor_enum("steps" #n, steps, 50, 400);                            \
    multiply(x, made);                                                                             \
    if (!sartor_assume("once" #n, !twice))                                                         \
      multiply(x, made);                                                                           \
    return x * 3 + n;                                                                              \
  }
SARTOR_TEST_TWELVE(SARTOR_TEST_DEFINE)
