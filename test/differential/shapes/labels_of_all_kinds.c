/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Labels that are no plain names: spaces, quotes, line ends, letters of other scripts. */
#include "shape.h"
SARTOR_HANDLER long named(long x) {
  return sartor_generic("two words", x) * 3 + sartor_generic("\"quoted\"\n", x) * 5 +
         sartor_generic("größe→", x);
}
CALLED(named);
HANDLERS(LISTED(named));
void program_run(unsigned input) { observe_number((unsigned long long)call_named(LOW(input))); }
