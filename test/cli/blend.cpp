// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "blend.h"

#include <sartor/points.h>

SARTOR_HANDLER void blend(const float *samples, const float *weights, float *blended, int count,
                          int taps) {
  const int width = sartor_enum("taps", taps, 1, 3, 4, 8);
  for (int i = 0; i < count; ++i) {
    float sum = 0;
    for (int j = 0; j < width; ++j)
      sum += samples[i + j] * weights[j];
    blended[i] = sum;
  }
}
