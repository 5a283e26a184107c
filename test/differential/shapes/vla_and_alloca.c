/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Memory of a size that is known at run time, in loops and across points. */
#include "shape.h"
#include <alloca.h>
#include <string.h>
SARTOR_HANDLER long sums(long n, long k) {
  long sum = 0;
  for (long turn = 0; turn < 3; ++turn) {
    long cells[sartor_range("n", n, 0, 9) + turn + 1];
    char *bytes = alloca((size_t)sartor_generic("k", k) + 1);
    memset(cells, 0, sizeof cells);
    memset(bytes, (int)k, (size_t)k + 1);
    for (long i = 0; i < n + turn; ++i)
      cells[i] = i * bytes[k];
    for (long i = 0; i < n + turn; ++i)
      sum += cells[i];
  }
  return sum;
}
CALLED(sums);
HANDLERS(LISTED(sums));
void program_run(unsigned input) {
  observe_number((unsigned long long)call_sums(LOW(input), HIGH(input)));
}
