// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Uses a library that is linked without `-z relro`.
#include "check.h"

long opened(void);

int main(void) {
  CHECK(opened() == 1);
  return wrong_count();
}
