/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Weak symbols that another file replaces: an alias, a variable's alias, a helper. */
#include "shape.h"
int default_hook(int x) { return x + 1; }
int hook(int x) __attribute__((weak, alias("default_hook")));
int default_variable = 10;
extern int variable __attribute__((weak, alias("default_variable")));
__attribute__((weak)) int helper(int x) { return sartor_generic("helper", x) + 1; }
SARTOR_HANDLER int run_hook(int x) { return hook(sartor_generic("x", x)) * 1000 + variable; }
SARTOR_HANDLER int run_helper(int x) { return helper(x) * 10 + sartor_generic("y", x); }
CALLED(run_hook);
CALLED(run_helper);
HANDLERS(LISTED(run_hook), LISTED(run_helper));
void program_run(unsigned input) {
  observe_number((unsigned long long)call_run_hook((int)LOW(input)));
  observe_number((unsigned long long)call_run_helper((int)LOW(input)));
}
