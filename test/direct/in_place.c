/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <sartor/points.h>

/* C: nothing is thrown through it, but it may be left by longjmp(). */
SARTOR_HANDLER_DIRECT long through_in_place(long (*call)(long), long n) {
  return sartor_enum("n", n, 2, 3, 5) * call(n);
}
