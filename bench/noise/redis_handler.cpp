// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "redis_handler.h"

#include <array>

#include <sartor/points.h>

namespace sartor::bench {

SARTOR_HANDLER std::size_t nearest(const std::int8_t *vectors, std::size_t count,
                                   std::size_t dimensions, const std::int8_t *query,
                                   std::size_t lanes) {
  const std::size_t D = sartor_generic("D", dimensions);
  const std::size_t L = sartor_enum("L", lanes, 1, 2, 4, 8, 16);
  std::size_t best = 0;
  std::int32_t largest = INT32_MIN;
  for (std::size_t i = 0; i < count; ++i) {
    std::array<std::int32_t, 16> sums{};
    for (std::size_t d = 0; d < D; d += L)
      for (std::size_t lane = 0; lane < L; ++lane)
        sums[lane] += vectors[i * D + d + lane] * query[d + lane];
    std::int32_t sum = 0;
    for (std::size_t lane = 0; lane < L; ++lane)
      sum += sums[lane];
    if (sum > largest)
      largest = sum, best = i;
  }
  return best;
}

} // namespace sartor::bench
