// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_TWELVE_H
#define SARTOR_TEST_TWELVE_H

#include <cstdint>

/// Twelve handlers. Each returns x * 3 + its number, after `steps` multiplications without effect,
/// repeated if `twice`. Points of each: "steps<number>" (enum 50, 400) and "once<number>" (assume).
#define SARTOR_TEST_TWELVE(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11)

#define SARTOR_TEST_DECLARE(n)                                                                     \
  std::uint64_t part_##n(std::uint64_t x, std::uint64_t steps, bool twice);
SARTOR_TEST_TWELVE(SARTOR_TEST_DECLARE)
#undef SARTOR_TEST_DECLARE

#endif
