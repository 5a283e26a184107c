// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check.h"

__attribute__((weak)) int is_nowhere(void);
__attribute__((weak)) extern int nothing;
__attribute__((weak)) int is_somewhere(void);
int library_has_nothing(void);
/// The program's strong function takes precedence over the library's weak one.
int overridden(void) { return 5; }
int library_calls_overridden(void);

int main(void) {
  CHECK(!is_nowhere);
  CHECK(!&nothing);
  CHECK(is_somewhere && is_somewhere() == 3);
  CHECK(library_has_nothing() == 1);
  CHECK(library_calls_overridden() == 5);
  return wrong_count();
}
