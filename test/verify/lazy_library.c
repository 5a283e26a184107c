/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A library that is bound lazily. */
#include <stdlib.h>

long calls_lazily(const char *unused) {
  (void)unused;
  return labs(-7);
}

long calls_nothing(const char *unused) {
  (void)unused;
  return 7;
}
