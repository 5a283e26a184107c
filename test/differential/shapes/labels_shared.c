/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Points in loops that are unrolled, inlined twice, and labels that several points share. */
#include "shape.h"
static inline long step(long x, long y) { return sartor_generic("shared", y) * x + 1; }
SARTOR_HANDLER long unrolled(long a, long b) {
  long r = a;
  for (int i = 0; i < 4; ++i)
    r = step(r, b) + step(i, a);
  return r * sartor_generic("shared", a);
}
CALLED(unrolled);
HANDLERS(LISTED(unrolled));
BINDINGS({"unrolled", 0, 2, 0}, {"unrolled", 1, 3, 0});
void program_run(unsigned input) {
  const long a = LOW(input), b = HIGH(input);
  if (program_bindings[0].bound && a == 2)
    observe_number((unsigned long long)((long (*)(long))program_bindings[0].bound)(b));
  else if (program_bindings[1].bound && b == 3)
    observe_number((unsigned long long)((long (*)(long))program_bindings[1].bound)(a));
  else
    observe_number((unsigned long long)call_unrolled(a, b));
}
