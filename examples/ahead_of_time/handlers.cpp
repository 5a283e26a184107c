// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "handlers.h"

#include <sartor/points.h>

SARTOR_HANDLER std::int64_t polynomial(const std::int64_t *coefficients, int count,
                                       std::int64_t x) {
  // Usually 2, 4 or 8. Other values fail the guard and run generic code.
  const int terms = sartor_enum("terms", count, 2, 4, 8);
  std::int64_t sum = 0;
  for (int i = terms; i-- > 0;)
    sum = sum * x + coefficients[i];
  return sum;
}
