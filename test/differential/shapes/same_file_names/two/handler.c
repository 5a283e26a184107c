/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Two files of one name, each with static variables and functions of the same names. */
#include "shape.h"
static long state = 20;
static long step(long x) { return x + 2; }
SARTOR_HANDLER long run_two(long x) {
  state += step(sartor_generic("two", x));
  return state;
}
long (*volatile call_run_two)(long) = run_two;
void reset_two(void) { state = 20; }
