/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Handlers in C for tests of the code of variants. */
#include <sartor/points.h>

long variant_state;

SARTOR_HANDLER long variant_spins(long x) {
  variant_state += x;
  long k = sartor_generic("variant_spins", x);
  if (k == 7) {
#pragma nounroll
    for (;;)
      ;
  }
  return k;
}

/* A loop about which clang adds no metadata. */
SARTOR_HANDLER long variant_loops(long x) {
  variant_state += x;
  long k = sartor_generic("variant_loops", x);
  long sum = 0;
  for (long i = 0;; ++i) {
    if (i >= k)
      return sum;
    sum += i * x;
  }
}

SARTOR_HANDLER long variant_hashes_first(const unsigned char *bytes, long n) {
  unsigned long hash = 0;
  for (long i = 0; i < n; ++i)
    hash = hash * 31 + bytes[i];
  return (long)sartor_generic("variant_hashes_first", hash & 3) * 5;
}

SARTOR_HANDLER long variant_loads_first(const long *p) {
  return sartor_generic("variant_loads_first", p[0] & 3) * 5;
}

SARTOR_HANDLER long variant_goes_deep(long n, long sum) {
  variant_state += n;
  sum = sartor_generic("variant_goes_deep", sum);
  if (n == 0)
    return variant_state + sum;
  return variant_goes_deep(n - 1, sum);
}

SARTOR_HANDLER long variant_ignores(long used, long unused) {
  (void)unused;
  sartor_generic("variant_ignores.value", used);
  return sartor_generic("variant_ignores", used) + 1;
}

/* A pointer that a function returns may point into its argument. */
__attribute__((pure)) static long *cell_of(long *cells, long key) { return cells + (key & 3); }

__attribute__((noinline)) static long add_to_cell(long *restrict cells, long key) {
  cells[key & 3] = 1;
  long *found = sartor_fast_path("variant_finds", cell_of, cells, key);
  *found += 5;
  return cells[key & 3];
}

SARTOR_HANDLER long variant_finds(long *cells, long key) { return add_to_cell(cells, key); }
