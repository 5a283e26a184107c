// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stdio.h>

int chosen(void);

int main(void) {
  printf("library %d\n", chosen());
  return 0;
}
