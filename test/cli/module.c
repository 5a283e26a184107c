// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <sartor/points.h>

SARTOR_HANDLER int power(int base, int exponent) {
  int result = 1;
  for (int i = 0; i < sartor_enum("exponent", exponent, 2, 3); ++i)
    result *= base;
  return result;
}
