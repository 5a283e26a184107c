/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdio.h>

#include "compared_handlers.h"

int puts_of_program(const char *text) { return puts(text); }

int main(void) {
  int filled[4];
  _Atomic int sum = 0;
  compared_fill(filled, 4, compared_add(1, 1));
  compared_add_to(&sum, filled[0]);
  return compared_print("text", sum) < 0;
}
