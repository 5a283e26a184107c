// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rotated_handlers.h"

#include <sartor/points.h>

SARTOR_HANDLER int count_down(int n, int by, void *self) {
  const int step = sartor_enum("by", by, 1, 2, 3);
  if (n <= 0)
    return 0;
  return 1 + reinterpret_cast<CountDown>(self)(n - step, by, self);
}

SARTOR_HANDLER std::uint64_t toil(std::uint64_t key, int work) {
  const int times = sartor_enum("work", work, 1, 2, 200);
  std::uint64_t waste = key;
  for (int i = 0; i < 50 * times; ++i) {
    waste = waste * 5 + 1;
    asm volatile("" : "+r"(waste));
  }
  return key * 3;
}

std::int64_t weights[4] = {1, 2, 3, 4};

SARTOR_HANDLER std::int64_t weigh_all(int scale) {
  const int factor = sartor_enum("scale", scale, 1, 2, 3);
  return (weights[0] + weights[1] + weights[2] + weights[3]) * factor;
}
