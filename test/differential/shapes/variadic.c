/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Variable numbers of arguments, in handlers' helpers. */
#include "shape.h"
#include <stdarg.h>
static long summed(int n, ...) {
  va_list list;
  va_start(list, n);
  long sum = 0;
  for (int i = 0; i < sartor_generic("n", n); ++i)
    sum = sum * 3 + va_arg(list, long);
  const double last = va_arg(list, double);
  va_end(list);
  return sum + (long)(last * 2);
}
SARTOR_HANDLER long sums(long a, long b) {
  return summed(2, a, b, 1.5) + summed(3, a, sartor_generic("a", b), a + b, 2.5);
}
CALLED(sums);
HANDLERS(LISTED(sums));
void program_run(unsigned input) {
  observe_number((unsigned long long)call_sums(LOW(input), HIGH(input)));
}
