// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lanes.h"

#include <sartor/points.h>

SARTOR_HANDLER uint32_t checksum(const unsigned char *data, size_t size, size_t lanes) {
  const size_t width = sartor_range("lanes", lanes, 1, 16);
  uint32_t sums[16] = {0};
  size_t i = 0;
  for (; i + width <= size; i += width)
    for (size_t lane = 0; lane < width; ++lane)
      sums[lane] += data[i + lane];
  for (; i < size; ++i)
    sums[0] += data[i];
  uint32_t total = 0;
  for (size_t lane = 0; lane < width; ++lane)
    total += sums[lane];
  return total;
}
