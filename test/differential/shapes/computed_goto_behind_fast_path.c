/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A fast path over an interpreter with a computed goto. Inputs that it does not remember are left
 * to a copy of the interpreter, made for an invariant program. */
#include "shape.h"
struct Program {
  long factor, bias;
  unsigned char code[16];
};
static const struct Program programs[] = {{3, 2, {1, 2, 4, 3, 1, 4, 0}}, {5, -7, {2, 2, 1, 3, 0}}};
__attribute__((const)) static long interpret(const struct Program *p, long sum) {
  static const void *const operations[] = {&&done, &&add,  &&twice, &&negate,
                                           &&mix,  &&done, &&done,  &&done};
  const unsigned char *next = p->code;
  long cells[4] = {sum, sum + 1, sum + 2, 3};
  goto *operations[*next++ & 7];
add:
  sum += p->bias;
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
done:
  return sum + cells[1];
}
SARTOR_HANDLER long run(const struct Program *p, long x) {
  return sartor_fast_path("interpreted", interpret, p, x) + p->factor;
}
CALLED(run);
HANDLERS(LISTED(run));
BINDINGS({"run", 0, (long)&programs[0], 0}, {"run", 0, (long)&programs[1], 0});
struct ProgramTable program_tables[] = {{programs, sizeof programs}, {0, 0}};
const char *program_configurations[] = {"{\"interpreted\": 1}", "{\"interpreted\": 4}", 0};
void program_run(unsigned input) {
  long (*bound)(long) = (long (*)(long))program_bindings[input & 1].bound;
  const long x = LOW(input) * HIGH(input);
  observe_number((unsigned long long)(bound ? bound(x) : call_run(&programs[input & 1], x)));
}
