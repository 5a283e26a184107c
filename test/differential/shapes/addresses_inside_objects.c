/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* An enumeration of addresses inside of one object, of functions, and of literals. */
#include "shape.h"
static long table[4][4] = {{1}, {2}, {3}, {4}};
static long twice(long x) { return x * 2; }
static long thrice(long x) { return x * 3; }
SARTOR_HANDLER long row(long k) {
  const long *p = sartor_enum("row", (long *)table[k & 3], table[0], table[1], table[2], table[3]);
  return *p;
}
SARTOR_HANDLER long function(long k) {
  long (*f)(long) = k & 1 ? twice : thrice;
  return sartor_enum("function", f, twice, thrice)(k);
}
CALLED(row);
CALLED(function);
HANDLERS(LISTED(row), LISTED(function));
void program_run(unsigned input) {
  observe_number((unsigned long long)call_row(LOW(input)));
  observe_number((unsigned long long)call_function(HIGH(input)));
}
