/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A pointer whose value a guard has checked may still alias the same pointers as before. */
#include "shape.h"
#include <stdlib.h>
static long A[4], B[4];
SARTOR_HANDLER long restricted(long *restrict p, long n) {
  const long a = p[0];
  for (long i = 0; i < n; ++i) {
    long *q = sartor_enum("p", p, A, B);
    q[i & 1] += i + 1;
  }
  return p[0] * 100 + a;
}
SARTOR_HANDLER long on_heap(long x) {
  long *p = calloc(4, sizeof *p);
  for (long i = 0; i < x; ++i) {
    long *q = sartor_generic("q", p);
    q[i & 3] += i + 1;
  }
  const long r = p[0] * 1000 + p[1] * 100 + p[2] * 10 + p[3];
  free(p);
  return r;
}
SARTOR_HANDLER long on_stack(long x) {
  long cells[4] = {1, 2, 3, 4};
  long *p = cells;
  if (x & 1)
    *sartor_generic("s", p) = x;
  return cells[0] * 10 + cells[1];
}
CALLED(restricted);
CALLED(on_heap);
CALLED(on_stack);
HANDLERS(LISTED(restricted), LISTED(on_heap), LISTED(on_stack));
void program_run(unsigned input) {
  for (int i = 0; i < 4; ++i) {
    A[i] = i + 1;
    B[i] = 10 * i;
  }
  observe_number((unsigned long long)call_restricted(input % 2 ? A : B, HIGH(input)));
  observe(A, sizeof A);
  observe(B, sizeof B);
  observe_number((unsigned long long)call_on_heap(LOW(input)));
  observe_number((unsigned long long)call_on_stack(LOW(input)));
}
