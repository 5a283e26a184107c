/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "compared_handlers.h"

#include <sartor/points.h>

SARTOR_HANDLER int compared_add(int one, int other) {
  return one + sartor_enum("other", other, 1, 2);
}

SARTOR_HANDLER void compared_fill(int *to, int n, int value) {
  value = sartor_enum("value", value, 1, 2);
  for (int i = 0; i < n; ++i)
    to[i] = value;
}

SARTOR_HANDLER int compared_print(const char *text, int times) {
  times = sartor_enum("times", times, 1, 2);
  return puts_of_program(text) * times; /* the reason of compared_print */
}

SARTOR_HANDLER void compared_add_to(_Atomic int *to, int by) {
  by = sartor_enum("by", by, 1, 2);
  *to += by; /* the reason of compared_add_to */
}
