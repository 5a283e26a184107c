// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "verify_handler.h"

#include <sartor/points.h>

namespace sartor::bench {

SARTOR_HANDLER std::uint64_t mixed(std::uint64_t x, unsigned rounds) {
  const unsigned count = sartor_generic("rounds", rounds);
  for (unsigned i = 0; i < count; ++i)
    x = (x ^ (x >> 29)) * 0xbf58476d1ce4e5b9;
  return x;
}

SARTOR_HANDLER void evaluated(const float *xs, float *values, unsigned n, const float *coefficients,
                              unsigned degree) {
  const unsigned terms = sartor_generic("degree", degree);
  for (unsigned i = 0; i < n; ++i) {
    float value = 0;
    for (unsigned term = 0; term < terms; ++term)
      value = value * xs[i] + coefficients[term];
    values[i] = value;
  }
}

} // namespace sartor::bench
