/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Two files of one name, each with static variables and functions of the same names. */
#include "shape.h"
static long state = 10;
static long step(long x) { return x + 1; }
SARTOR_HANDLER long run_one(long x) {
  state += step(sartor_generic("one", x));
  return state;
}
long (*volatile call_run_one)(long) = run_one;
void reset_one(void) { state = 10; }
