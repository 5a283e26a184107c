// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Computes in a library's function, for a profiler.
#include <stdio.h>

#include "work.h"

__attribute__((noinline)) unsigned long program_spins(void *data) {
  return work_spins(*(int *)data) | 1;
}

int main(void) {
  int milliseconds = 300;
  puts(work_with(program_spins, &milliseconds) ? "done" : "");
  return 0;
}
