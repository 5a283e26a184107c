// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Waits in a library's function, for a debugger, until its input ends.
#include <stdio.h>
#include <unistd.h>

#include "work.h"

unsigned long program_waits(void *data) {
  work_waits(*(int *)data);
  return 1;
}

int main(void) {
  int handle = STDIN_FILENO;
  puts("ready");
  fflush(stdout);
  printf("%lu\n", work_with(program_waits, &handle));
  return 0;
}
