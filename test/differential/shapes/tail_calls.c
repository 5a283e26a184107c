/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Tail calls of great depth: in C compiled with -O2 they take no stack, so they may take none in
 * any variant. */
/* level: -O2, inputs: 8, configurations: 4 */
#include "shape.h"
static long state;
SARTOR_HANDLER long itself(long n, long acc) {
  const long k = sartor_generic("x", acc);
  if (n == 0)
    return acc + k;
  return itself(n - 1, acc);
}
static __attribute__((noinline)) long odd(long n, long acc);
static __attribute__((noinline)) long even(long n, long acc) {
  state += sartor_generic("y", acc);
  return n == 0 ? state : odd(n - 1, acc);
}
static __attribute__((noinline)) long odd(long n, long acc) {
  state ^= n;
  return n == 0 ? state : even(n - 1, acc);
}
SARTOR_HANDLER long in_turn(long n, long acc) { return even(n, acc); }
CALLED(itself);
CALLED(in_turn);
HANDLERS(LISTED(itself), LISTED(in_turn));
void program_run(unsigned input) {
  state = 0;
  observe_number((unsigned long long)call_itself(1000000, (long)input % 3));
  observe_number((unsigned long long)call_in_turn(1000000, (long)input % 3));
}
