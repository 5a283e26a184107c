/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <sartor/points.h>

/* A C function: no exception passes through it, but longjmp() may leave it. */
SARTOR_HANDLER_DIRECT long through_in_place(long (*call)(long), long n) {
  return sartor_enum("n", n, 2, 3, 5) * call(n);
}
