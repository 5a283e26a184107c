/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A device's handler with everything that has no name to link it to the program's: a static
 * variable, a static function whose address escapes, a constant that is identified by its
 * address. */
#include <sartor/points.h>

static int calls;
static int add(int by) { return calls += by; }
static const int limits[2] = {3, 4};

int (*handed_out)(int) = 0;
const int *limits_of_all = limits;

SARTOR_HANDLER int counts(int x) {
  handed_out = add;
  calls += sartor_enum("x", x, 1, 2);
  return limits_of_all == limits ? calls : -1;
}
