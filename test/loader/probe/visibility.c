// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check.h"

int shown(void);
int calls_hidden(void);
int calls_protected(void);
int calls_interposed(void);
int protected_function(void);
int calls_early(void);

// The library also has functions of these names.
int hidden_function(void) { return 10; }
int interposed(void) { return 40; }

int main(void) {
  CHECK(shown() == 1);
  CHECK(calls_hidden() == 2 && hidden_function() == 10);
  CHECK(calls_protected() == 3 && protected_function() == 3);
  CHECK(calls_interposed() == 40);
  CHECK(calls_early() == 40);
  return wrong_count();
}
