/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A device's handler that uses second names of functions and variables, and a function that
 * optimized code must not call. */
#include <sartor/points.h>

int twice_of(int x) { return 2 * x; }
int twice(int x) __attribute__((alias("twice_of")));
int half(int x) __attribute__((weak, alias("half_of")));
int half_of(int x) { return x / 2; }
static int thrice_of(int x) { return 3 * x; }
int thrice(int x) __attribute__((alias("thrice_of")));

const int limit_of_all = 100;
extern const int limit __attribute__((alias("limit_of_all")));
int calls_of_all = 0;
extern int calls __attribute__((alias("calls_of_all")));

static int (*resolve(void))(int) { return thrice_of; }
int chosen(int x) __attribute__((ifunc("resolve")));

extern void bad_size(void) __attribute__((error("unexpected size")));
__attribute__((always_inline)) static inline int log2_of(unsigned long n, int is_constant) {
  if (n <= 16)
    return n <= 8 ? 3 : 4;
  if (is_constant)
    bad_size();
  return -1;
}

int (*handed_out)(int) = twice;

SARTOR_HANDLER int sums_up(int x) {
  ++calls;
  const int sum = twice(x) + half(x) + thrice(x) + chosen(x) + log2_of(16, 1) + handed_out(x);
  return sartor_enum("x", x, 1, 2) + (sum < limit ? sum : limit);
}
