/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Weak symbols that no definition replaces, aliases of them, and one that is not there at all. */
#include "shape.h"
extern int maybe(int) __attribute__((weak));
__attribute__((weak)) int weak_helper(int x) { return sartor_generic("w", x) + 1; }
static int target(int x) { return x * 3; }
static int alias_of(int x) __attribute__((alias("target")));
SARTOR_HANDLER __attribute__((weak)) int weak_handler(int x) {
  return weak_helper(x) + (maybe ? maybe(x) : 7) + alias_of(sartor_generic("a", x));
}
CALLED(weak_handler);
HANDLERS(LISTED(weak_handler));
void program_run(unsigned input) {
  observe_number((unsigned long long)call_weak_handler((int)LOW(input)));
}
