/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calls that must be tail calls, as interpreters have them, and jumps to computed labels. */
#include "shape.h"
typedef long (*Op)(const unsigned char *code, long a, long b);
static long add(const unsigned char *code, long a, long b);
static long mul(const unsigned char *code, long a, long b);
static long end(const unsigned char *code, long a, long b);
static const Op ops[] = {add, mul, end};
static long add(const unsigned char *code, long a, long b) {
  a += sartor_generic("add", b);
  __attribute__((musttail)) return ops[*code](code + 1, a, b);
}
static long mul(const unsigned char *code, long a, long b) {
  a *= 3;
  __attribute__((musttail)) return ops[*code](code + 1, a, b);
}
static long end(const unsigned char *code, long a, long b) {
  (void)code;
  return a ^ b;
}
SARTOR_HANDLER long interpret(const unsigned char *code, long a, long b) {
  __attribute__((musttail)) return ops[*code](code + 1, a, b);
}
SARTOR_HANDLER long labels(const unsigned char *code, long a) {
  static const void *const targets[] = {&&plus, &&times, &&stop};
  long r = a;
  goto *targets[*code++];
plus:
  r += sartor_generic("plus", a);
  goto *targets[*code++];
times:
  r = r * 5 + 1;
  goto *targets[*code++];
stop:
  return r;
}
CALLED(interpret);
CALLED(labels);
HANDLERS(LISTED(interpret), LISTED(labels));
void program_run(unsigned input) {
  static const unsigned char programs[2][6] = {{0, 1, 0, 0, 2}, {1, 1, 0, 1, 0, 2}};
  observe_number((unsigned long long)call_interpret(programs[input % 2], LOW(input), HIGH(input)));
  observe_number((unsigned long long)call_labels(programs[input % 2], LOW(input)));
}
