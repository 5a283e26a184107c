// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prints the address of the program's code, of the C library's data, or of the heap's end. With
// "grow": prints how many MiB the heap can have, up to 6 GiB. With "abort": aborts.
#define _DEFAULT_SOURCE
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int count, char **words) {
  const char *what = count > 1 ? words[1] : "";
  if (strcmp(what, "grow") == 0) {
    const int step = 64;
    int size = 0;
    while (size < 6 << 10 && sbrk((intptr_t)step << 20) != (void *)-1)
      size += step;
    char *last = (char *)sbrk(0) - 1;
    *last = 1; // the memory exists
    printf("%d\n", size);
    return 0;
  }
  if (strcmp(what, "abort") == 0) {
    printf("%f\n", pow(count, 0.5));
    abort();
  }
  const void *at = strcmp(what, "program") == 0   ? (const void *)main
                   : strcmp(what, "library") == 0 ? (const void *)stdout
                                                  : sbrk(0);
  printf("%lu\n", (unsigned long)at);
  return 0;
}
