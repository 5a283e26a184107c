// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ends status N | signal N | main N | abort: exits in that way.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "work.h"

int main(int argc, char **argv) {
  const char *how = argc > 1 ? argv[1] : "";
  const int number = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 0;
  printf("%lu\n", work(1));
  fflush(stdout);
  fputs("to the other output\n", stderr);
  if (strcmp(how, "status") == 0)
    exit(number);
  if (strcmp(how, "at once") == 0)
    _exit(number);
  if (strcmp(how, "signal") == 0) {
    raise(number);
    pause();
  }
  if (strcmp(how, "abort") == 0)
    abort();
  return number;
}
