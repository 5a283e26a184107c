/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A binding of an argument behind one that takes two registers. */
#include "shape.h"
SARTOR_HANDLER long wide(__int128 x, long k) {
  return (long)(x >> 64) * 100 + (long)x * 10 + sartor_generic("k", k);
}
CALLED(wide);
HANDLERS(LISTED(wide));
BINDINGS({"wide", 1, 3, 0});
void program_run(unsigned input) {
  const __int128 x = ((__int128)LOW(input) << 64) + 5;
  const long k = HIGH(input);
  observe_number(program_bindings[0].bound && k == 3
                     ? ((long (*)(__int128))program_bindings[0].bound)(x)
                     : call_wide(x, k));
}
