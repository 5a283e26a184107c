// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls libraries of which it would take too long to find out what is never reached.
#include <stdio.h>

int crowded(void);
int bare(void);

int main(void) {
  printf("%d %d\n", crowded(), bare());
  return 0;
}
