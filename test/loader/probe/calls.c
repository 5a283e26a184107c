// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls into libraries in all the ways for which code is compiled; built several times.
#include <math.h>
#include <stdlib.h>

#include "check.h"
#include "work.h"

static unsigned long nested(void *data) { return work(*(unsigned *)data); }

static unsigned long (*volatile indirect)(unsigned) = work;

static unsigned long tail(unsigned seed) { return work(seed); }

static double many_arguments(double x) {
  char text[256];
  snprintf(text, sizeof text, "%d %s %f %ld %c %x %f %f %g", 1, "two", x, 4L, '5', 6U, 7.0, 8.0, x);
  return strtod(text + 6, NULL);
}

int main(void) {
  const unsigned long expected = work(9);
  unsigned seed = 9;
  for (int i = 0; i < 5; ++i) {
    CHECK(work(9) == expected);
    CHECK(indirect(9) == expected);
    CHECK(tail(9) == expected);
    CHECK(work_with(nested, &seed) == expected);
    CHECK(fabs(many_arguments(2.5) - 2.5) < 1e-9);
    CHECK(pow(2, i) == 1 << i);
  }
  CHECK(work_calls == 5 * 6 + 1);
  printf("%lu\n", expected);
  return wrong_count();
}
