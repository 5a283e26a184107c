/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* setjmp() and longjmp() within one handler, around points. */
#include "shape.h"
#include <setjmp.h>
static jmp_buf back;
static __attribute__((noinline)) void jump(long x) {
  if (x > 0)
    longjmp(back, (int)x);
}
SARTOR_HANDLER long tries(long x) {
  volatile long turns = x;
  const int came = setjmp(back);
  if (sartor_generic("came", came) > 3)
    return came * 10 + turns;
  turns = turns - 1;
  jump(turns + sartor_range("x", x, 0, 9));
  return turns;
}
CALLED(tries);
HANDLERS(LISTED(tries));
void program_run(unsigned input) { observe_number((unsigned long long)call_tries(LOW(input))); }
