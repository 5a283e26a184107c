// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "exit_handler.h"

#include <sartor/points.h>

SARTOR_HANDLER long sum_of_squares(long n) {
  const long count = sartor_generic("n", n);
  long sum = 0;
  for (long i = 1; i <= count; ++i)
    sum += i * i;
  return sum;
}
