// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "handlers.h"

#include <sartor/points.h>

SARTOR_HANDLER std::uint32_t checksum(const unsigned char *data, std::size_t size,
                                      std::size_t lanes) {
  // One running sum per lane: too few leave the processor idle, too many spill its registers.
  const std::size_t width = sartor_enum("lanes", lanes, 1, 2, 4, 8, 16);
  std::uint32_t sums[16] = {};
  std::size_t i = 0;
  for (; i + width <= size; i += width)
    for (std::size_t lane = 0; lane < width; ++lane)
      sums[lane] += data[i + lane];
  for (; i < size; ++i)
    sums[0] += data[i];
  std::uint32_t total = 0;
  for (std::size_t lane = 0; lane < width; ++lane)
    total += sums[lane];
  return total;
}
