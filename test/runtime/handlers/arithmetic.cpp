// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "arithmetic.h"

#include <sartor/points.h>

SARTOR_HANDLER std::uint64_t scale(std::uint64_t x, std::uint64_t factor, unsigned common) {
  return x * sartor_enum("factor", factor, 2, 3, 5) + sartor_enum("common", common, 1, 2) - common;
}

SARTOR_HANDLER int shift(int x, int offset, unsigned common) {
  const unsigned same = sartor_enum("common", common, 1, 2);
  return x + sartor_range("offset", offset, -4, 4) + static_cast<int>(same - common);
}

SARTOR_HANDLER std::uint64_t weighted_sum(std::uint64_t x, std::uint64_t count,
                                          std::uint64_t weight) {
  std::uint64_t sum = 0;
  const std::uint64_t end = sartor_generic("count", count);
  for (std::uint64_t i = 0; i < end; ++i)
    sum += weigh(x * i, weight);
  return sum;
}

SARTOR_HANDLER std::uint64_t descend(std::uint64_t n, std::uint64_t step) {
  const std::uint64_t by = sartor_enum("step", step, 1, 2);
  return n < 2 ? 1 : n * descend(n - by, step);
}

SARTOR_HANDLER int when_ready(bool ready) { return sartor_assume("ready", ready) ? 10 : 20; }
