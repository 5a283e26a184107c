// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls libraries that would take too long to prune.
#include <stdio.h>

int crowded(void);
int bare(void);

int main(void) {
  printf("%d %d\n", crowded(), bare());
  return 0;
}
