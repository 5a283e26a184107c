/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Arguments of variably modified types are evaluated once. */
#include "shape.h"
static int count;
static int buffer[64];
static int (*next(void))[1] {
  ++count;
  return (int (*)[1])buffer;
}
SARTOR_HANDLER int pointer_to(int n) {
  int (*p)[n + 1] = sartor_generic("p", (int (*)[n + 1]) next());
  return (int)sizeof *p + (p == (void *)buffer);
}
SARTOR_HANDLER int element_of(int n) {
  int i = 0;
  int a[n + 2];
  for (int j = 0; j < n + 2; j++)
    a[j] = j;
  int (*q)[n + 2] = &a;
  const int *r = sartor_generic("q", q[i++]);
  return i * 100 + r[1];
}
CALLED(pointer_to);
CALLED(element_of);
HANDLERS(LISTED(pointer_to), LISTED(element_of));
void program_run(unsigned input) {
  count = 0;
  observe_number((unsigned long long)call_pointer_to((int)LOW(input)));
  observe_number((unsigned long long)count);
  observe_number((unsigned long long)call_element_of((int)LOW(input)));
}
