/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* An interpreter with a computed goto that calls itself. Bound, it calls a copy that is not. */
#include "shape.h"
struct Program {
  long factor, bias;
  unsigned char code[16];
  const struct Program *inner;
};
static const struct Program innermost = {7, 1, {1, 4, 2, 0}, 0};
static const struct Program inner = {5, 9, {2, 3, 5, 4, 1, 0}, &innermost};
static const struct Program outer = {3, 2, {1, 2, 4, 5, 3, 1, 4, 0}, &inner};
__attribute__((noinline)) static long scaled(long x, long by) {
  return x * sartor_enum("by", by, 1, 2, 3);
}
SARTOR_HANDLER long run(const struct Program *p, long sum) {
  static const void *const operations[] = {&&done, &&add,  &&twice, &&negate,
                                           &&mix,  &&call, &&done,  &&done};
  const unsigned char *next = p->code;
  long cells[4] = {sum, sum + 1, sum + 2, 3};
  goto *operations[*next++ & 7];
add:
  sum += scaled(p->bias, p->factor & 3);
  cells[sum & 3] += sum;
  goto *operations[*next++ & 7];
twice:
  sum *= 2;
  cells[sum & 3] ^= sum;
  goto *operations[*next++ & 7];
negate:
  sum = -sum;
  goto *operations[*next++ & 7];
mix:
  sum = sum * p->factor + cells[sum & 3];
  goto *operations[*next++ & 7];
call:
  sum += p->inner ? run(p->inner, sum + 1) * 3 : 0;
  goto *operations[*next++ & 7];
done:
  return sum + cells[1];
}
CALLED(run);
HANDLERS(LISTED(run));
BINDINGS({"run", 0, (long)&outer, 0}, {"run", 0, (long)&inner, 0});
struct ProgramTable program_tables[] = {
    {&outer, sizeof outer}, {&innermost, sizeof innermost}, {0, 0}};
const char *program_configurations[] = {"{\"by\": 3}", "{\"by\": 1}", 0};
void program_run(unsigned input) {
  long (*bound)(long) = (long (*)(long))program_bindings[input & 1].bound;
  const long x = LOW(input) - HIGH(input);
  observe_number((unsigned long long)(bound ? bound(x) : call_run(input & 1 ? &inner : &outer, x)));
}
