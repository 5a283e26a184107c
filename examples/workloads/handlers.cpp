// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "handlers.h"

#include <sartor/points.h>

SARTOR_HANDLER std::uint64_t digit_sum(std::uint64_t value, std::uint64_t base) {
  const std::uint64_t radix = sartor_enum("base", base, 8, 10, 16);
  std::uint64_t sum = 0;
  for (; value > 0; value /= radix)
    sum += value % radix;
  return sum;
}
