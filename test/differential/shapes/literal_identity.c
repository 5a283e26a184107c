/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A text has one address, in native code and in variants. */
#include "shape.h"
static const char *const names[] = {"zero", "one", "two", "three", "four", "five"};
static const char *intern(long k) { return k == 5 ? names[5] : names[0]; }
SARTOR_HANDLER long is_name(const char *p, long k) { return p == names[sartor_generic("k", k)]; }
SARTOR_HANDLER long is_five(const char *p, long k) { return p == intern(sartor_generic("i", k)); }
CALLED(is_name);
CALLED(is_five);
HANDLERS(LISTED(is_name), LISTED(is_five));
static const char *volatile given;
void program_run(unsigned input) {
  given = names[LOW(input)];
  observe_number((unsigned long long)call_is_name(given, HIGH(input)));
  given = intern(LOW(input));
  observe_number((unsigned long long)call_is_five(given, HIGH(input)));
}
