// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "handlers.h"

#include <algorithm>

#include <sartor/points.h>

SARTOR_HANDLER std::uint32_t add_up(const std::uint32_t *numbers, std::uint32_t count,
                                    std::uint32_t at_a_time, std::uint64_t *sum) {
  const std::uint32_t batch = std::min(count, sartor_enum("batch", at_a_time, 16, 256, 4096));
  for (std::uint32_t i = 0; i < batch; ++i)
    *sum += numbers[i];
  return batch;
}
