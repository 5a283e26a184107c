/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "handlers.h"

#include <sartor/points.h>

SARTOR_HANDLER int32_t smooth(const int32_t *weights, const int32_t *samples, int count) {
  const int taps = sartor_generic("taps", count);
  int32_t sum = 0;
  for (int i = 0; i < taps; ++i)
    sum += weights[i] * samples[i];
  return sum;
}
