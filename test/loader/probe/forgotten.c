// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls the code at a distance from a function of the library: `forgotten DISTANCE`.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int known(int number);
int chosen(int which, int number);

int main(int argc, char **argv) {
  printf("%d %d %d\n", known(1), chosen(0, 21), chosen(1, 9));
  if (argc < 2)
    return 0;
  fflush(stdout);
  const intptr_t place = (intptr_t)known + strtol(argv[1], NULL, 0);
  printf("%d\n", ((int (*)(int))place)(5));
  return 0;
}
