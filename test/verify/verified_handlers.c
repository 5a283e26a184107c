// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "verified_handlers.h"

#include <sartor/points.h>

int position[4];

SARTOR_HANDLER long weigh(const int *table, int n, int scale) {
  scale = sartor_enum("scale", scale, 3, 5);
  long sum = 0;
  for (int i = 0; i < n; ++i) {
    if (table[i] < 0)
      sum -= (long)table[i] * scale;
    else if (table[i] > 100)
      sum += (unsigned char)table[i] << (scale & 3);
    else
      sum = sum * 2 + table[i] % scale;
  }
  return sum;
}

SARTOR_HANDLER void blend(const double *from, double *to, int n, int steps) {
  steps = sartor_enum("steps", steps, 2, 4);
  for (int i = 0; i < n; ++i) {
    double value = to[i];
    for (int k = 0; k < steps; ++k)
      value = (value - from[i]) * 0.5 + k;
    to[i] = value;
  }
}

SARTOR_HANDLER void tag(unsigned char *tags, four *out, int n, int by) {
  by = sartor_enum("by", by, 1, 7);
  for (int i = 0; i < n; ++i) {
    tags[i] += by;
    out[i] += by;
  }
}

SARTOR_HANDLER int advance(int by, int scale) {
  scale = sartor_enum("pace", scale, 1, 2);
  position[0] += by * scale;
  if (position[0] > 1000)
    position[0] = 0;
  position[1] = position[0] / 3 - scale;
  return position[1];
}

SARTOR_UNORDERED SARTOR_HANDLER long stamp(int scale) {
  return (long)__builtin_readcyclecounter() * sartor_enum("rate", scale, 1, 2);
}
