// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A planted error that tests the test: the program detects that it runs specialized.
#include "shape.h"
SHAPE_C SARTOR_HANDLER long seen(long x) {
  const long k = sartor_generic("x", x);
  return __builtin_constant_p(k) ? 77 : k;
}
CALLED(seen);
HANDLERS(LISTED(seen));
SHAPE_C void program_run(unsigned input) {
  observe_number(static_cast<unsigned long long>(call_seen(LOW(input))));
}
