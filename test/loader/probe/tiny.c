// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check.h"

int f(void);

int main(void) {
  CHECK(f() == 6);
  CHECK(f() == 7);
  return wrong_count();
}
