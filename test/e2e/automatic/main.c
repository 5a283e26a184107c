/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Prints results of all functions, several times: with other variants in between, if any. */
#include <stdio.h>

#include "work.h"

/* Missing in a program without automatic handlers. */
__attribute__((weak)) void change_variants(int phase);

static int half(int x) { return x / 2; }

static void print_all(int x) {
  int at = x;
  set_level(x);
  printf("%ld %ld", sum(10, x, add), sum(x, 3, half));
  printf(" %g %g", mix(1.5, 2, RED, 1, "a", 1), mix(x, 0.1f, GREEN, 0, "b", x));
  printf(" %ld %d %ld %ld", reads(10), reads_only(&at), writes(x), writes_below(x));
  printf(" %ld %ld %ld", takes(x, address_of_taken()), takes(x, &at), locks(x));
  printf(" %ld %ld %ld %ld", calls(x + 1, set_level), hears(x), counts(x), spins(x));
  printf(" %ld %d %d %d %d", others(x), variadic(x, 5), bare(x), weak(x), old(x));
  printf(" %d %d %ld %g %ld\n", foreign(x), nothing("c"), work(x), other(x), members(x));
}

int main(int argc, char **argv) {
  listen();
  for (int phase = 0; phase < 4; ++phase) {
    if (change_variants)
      change_variants(phase);
    for (int x = 2; x < 6; ++x)
      print_all(x);
  }
  return argc > 5 && argv[0] == 0;
}
