/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Operations in another file than the handler, and operations of a program that refers to them
 * by address. */
#include "tail_shapes.h"

#include <sartor/points.h>

#define MUST __attribute__((musttail))

uint64_t elsewhere_must(const struct TailOp *pc, uint64_t *r, struct TailMachine *m, uint64_t acc) {
  acc ^= r[pc->a];
  MUST return tail_pass_on(pc + 1, r, m, acc);
}

#define WORD(name)                                                                                 \
  static uint64_t name(const union TailWord *pc, uint64_t *r, struct TailMachine *m)

WORD(add) {
  r[pc[1].number] += r[pc[2].number];
  MUST return pc[3].operation(pc + 3, r, m);
}
WORD(multiply) {
  sartor_assert_const(pc[1].number);
  r[pc[1].number] *= r[pc[2].number];
  MUST return pc[3].operation(pc + 3, r, m);
}
WORD(load) {
  r[pc[1].number] = (uint64_t)pc[2].number;
  MUST return pc[3].operation(pc + 3, r, m);
}
WORD(jump_if_less) {
  if (m->fuel-- == 0)
    return m->input;
  pc += r[pc[1].number] < r[pc[2].number] ? pc[3].number : 4;
  MUST return pc->operation(pc, r, m);
}
WORD(end) {
  (void)m;
  return r[pc[1].number];
}
uint64_t (*const tail_words[5])(const union TailWord *, uint64_t *,
                                struct TailMachine *) = {add, multiply, load, jump_if_less, end};

SARTOR_HANDLER uint64_t tail_threaded(const union TailWord *words, uint64_t input, uint64_t fuel) {
  uint64_t r[8] = {input, 1, 2};
  struct TailMachine m = {0, fuel, input, 0};
  return words->operation(words, r, &m);
}
