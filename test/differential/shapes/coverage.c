/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A handler whose coverage is measured. */
/* flags: -fprofile-instr-generate -fcoverage-mapping */
/* link: -fprofile-instr-generate */
#include "shape.h"
static long helper(long x) { return x > 2 ? x * 3 : x; }
SARTOR_HANDLER long covered(long x) {
  return helper(sartor_generic("x", x)) + (sartor_assume("few", x < 4) ? 1 : 2);
}
CALLED(covered);
HANDLERS(LISTED(covered));
void program_run(unsigned input) { observe_number((unsigned long long)call_covered(LOW(input))); }
