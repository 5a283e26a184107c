// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All kinds of calls of functions that other libraries define.
#include <stdlib.h>
#include <unistd.h>

__thread int subject_thread_local = 7;

int subject_call(int x) { return abs(x) + 1; }

int subject_tail_call(int x) { return abs(x); }

int (*subject_address(void))(int) { return abs; }

void subject_conditional(int x) {
  if (x)
    exit(x);
  sync();
}
