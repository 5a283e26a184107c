// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fir.h"

#include <sartor/points.h>

SARTOR_HANDLER void fir(float *out, const float *in, size_t count, const float *taps,
                        size_t order) {
  const size_t n = sartor_enum("order", order, 4, 8, 16, 32);
  for (size_t i = 0; i < count; ++i) {
    float sum = 0;
    for (size_t k = 0; k < n; ++k)
      sum += taps[k] * in[i + k];
    out[i] = sum;
  }
}
