// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An enumeration of functions in an inline function, which other files may have, too.
#include "shape.h"
using Step = long (*)(long);
static long twice(long x) { return x * 2; }
static long squared(long x) { return x * x; }
inline long helper(long x) {
  const Step step = x % 2 ? twice : squared;
  return sartor_enum("step", step, twice, squared)(x);
}
SHAPE_C SARTOR_HANDLER long run(long x) { return helper(x) + 1; }
CALLED(run);
HANDLERS(LISTED(run));
SHAPE_C void program_run(unsigned input) { observe_number(call_run(LOW(input))); }
