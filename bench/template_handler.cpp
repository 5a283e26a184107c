// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "template_handler.h"

#include <sartor/points.h>

extern "C" SARTOR_HANDLER std::uint64_t bench_scaled(const std::uint64_t *values, std::size_t count,
                                                     std::uint64_t scale, std::uint64_t offset) {
  const std::uint64_t by = sartor_generic("scale", scale);
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < count; ++i)
    sum += values[i] * by;
  return sum + sartor_generic("offset", offset);
}
