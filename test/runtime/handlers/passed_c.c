/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <sartor/points.h>

struct Bits {
  unsigned a : 5;
  unsigned long b : 20;
  signed c : 3;
  unsigned long d : 40;
};

SARTOR_HANDLER int c_of_bits(const struct Bits *bits) {
  int seen = 0;
  seen |= sartor_generic("c_bits.a", bits->a) - 10 < 0 ? 1 : 0;
  seen |= sartor_generic("c_bits.b", bits->b) - 10 < 0 ? 2 : 0;
  seen |= sartor_generic("c_bits.c", bits->c) - 3 < 0 ? 4 : 0;
  seen |= (sartor_generic("c_bits.d", bits->d) << 30 >> 30) != bits->d ? 8 : 0;
  return seen;
}

static int count;
static void *next(void) {
  static int buffer[64];
  ++count;
  return buffer;
}
SARTOR_HANDLER int c_evaluations(int n) {
  count = 0;
  int (*p)[n] = sartor_generic("c_variable", (int (*)[n])next());
  return count * 1000 + (int)sizeof *p;
}
