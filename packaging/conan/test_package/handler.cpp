// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <sartor/points.h>

SARTOR_HANDLER long power(long base, int exponent) {
  const int n = sartor_enum("n", exponent, 2, 3, 8);
  long result = 1;
  for (int i = 0; i < n; ++i)
    result *= base;
  return result;
}
