// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stddef.h>

__attribute__((weak)) int is_in_no_library(void);
__attribute__((weak)) int overridden(void) { return 4; }

int is_somewhere(void) { return 3; }
int library_has_nothing(void) {
  return is_in_no_library == NULL ? 1 : is_in_no_library(); // NOLINT(*-branch-clone)
}
int library_calls_overridden(void) { return overridden(); }
