// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "handlers.h"

#include <sartor/points.h>

SARTOR_HANDLER std::uint64_t digit_sum(std::uint64_t value, std::uint64_t base) {
  const std::uint64_t divisor = sartor_generic("base", base);
  std::uint64_t sum = 0;
  for (; value; value /= divisor)
    sum += value % divisor;
  return sum;
}
