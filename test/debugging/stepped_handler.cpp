// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stepped.h"

#include <sartor/points.h>

static inline int twice(int value) {
  const int once = outside(value); // inlined
  return once * 2;
}

SARTOR_HANDLER int stepped(int value, int mode) {
  const int chosen = sartor_enum("mode", mode, 1, 2);
  int sum = outside(value); // first
  if (chosen == 1)
    sum = outside(sum + 1); // folded away
  else
    sum = outside(sum + 2); // second
  sum += twice(sum);        // third
  return outside(sum);      // last
}
