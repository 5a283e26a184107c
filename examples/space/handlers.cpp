// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "handlers.h"

#include <algorithm>

#include <sartor/points.h>

SARTOR_HANDLER std::uint64_t weighted_sum(const std::uint32_t *matrix, std::size_t size,
                                          const Tuning &tuning) {
  const std::size_t rows = sartor_enum("rows", tuning.rows, 4, 16, 64);
  const std::size_t columns = sartor_enum("columns", tuning.columns, 4, 16, 64);
  const int prefetch = sartor_enum("prefetch", tuning.prefetch, 0, 1);
  const std::size_t ahead = sartor_enum("ahead", tuning.ahead, 8, 16);
  std::uint64_t sum = 0;
  for (std::size_t top = 0; top < size; top += rows)
    for (std::size_t left = 0; left < size; left += columns)
      for (std::size_t y = top; y < std::min(top + rows, size); ++y)
        for (std::size_t x = left; x < std::min(left + columns, size); ++x) {
          if (prefetch != 0)
            __builtin_prefetch(matrix + y * size + x + ahead);
          sum += matrix[y * size + x] * (x + 1);
        }
  return sum;
}
