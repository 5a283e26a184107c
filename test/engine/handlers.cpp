// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "handlers.h"

#include <sartor/points.h>

SARTOR_HANDLER long scale(long x, long m) { return x * sartor_generic("m", m); }

SARTOR_HANDLER long through(long n, long (*callback)(long)) {
  return callback(sartor_generic("n", n));
}

SARTOR_HANDLER long sum_of(const long *values, long count) {
  long sum = 0;
  const long end = sartor_generic("count", count);
  for (long i = 0; i < end; ++i)
    sum += values[i];
  return sum;
}
