/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Assembly in a handler: operands, memory, and a jump out of it. */
#include "shape.h"
static long cell;
SARTOR_HANDLER long swapped(long x) {
  long r = sartor_generic("x", x);
  __asm__ volatile("bswap %0" : "+r"(r));
  __asm__ volatile("addq %1, %0" : "+m"(cell) : "r"(x));
  return r;
}
SARTOR_HANDLER long jumps(long x) {
  __asm__ goto("test %0, %0\n\tjz %l1" : : "r"(sartor_generic("j", x)) : "cc" : zero);
  return x * 2;
zero:
  return 77;
}
CALLED(swapped);
CALLED(jumps);
HANDLERS(LISTED(swapped), LISTED(jumps));
void program_run(unsigned input) {
  cell = 0;
  observe_number((unsigned long long)call_swapped(LOW(input)));
  observe_number((unsigned long long)cell);
  observe_number((unsigned long long)call_jumps(LOW(input)));
}
