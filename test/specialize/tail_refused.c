/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Operations that cannot be inlined into the handler. */
#include "tail_shapes.h"

#include <sartor/points.h>

#define MUST __attribute__((musttail))

/* The argument lies in the caller's frame. */
struct Large {
  uint64_t words[5];
};
typedef uint64_t with_structure(const struct TailOp *pc, struct Large state);
static with_structure *const structure_table[];
static uint64_t structure_end(const struct TailOp *pc, struct Large state) {
  (void)pc;
  return state.words[0];
}
static uint64_t structure_add(const struct TailOp *pc, struct Large state) {
  state.words[0] += state.words[pc->a & 3];
  return structure_table[pc[1].op](pc + 1, state);
}
static with_structure *const structure_table[] = {structure_end, structure_add};
SARTOR_HANDLER uint64_t tail_structure(const struct TailCode *code, uint64_t input, uint64_t fuel) {
  const struct Large state = {{input, fuel, 3, 4, 5}};
  return structure_table[code->ops->op](code->ops, state);
}

/* The size of its frame depends on its argument. */
typedef uint64_t with_array(const struct TailOp *pc, uint64_t acc, uint64_t size);
static with_array *const array_table[];
static uint64_t array_end(const struct TailOp *pc, uint64_t acc, uint64_t size) {
  (void)pc;
  return acc + size;
}
static uint64_t array_add(const struct TailOp *pc, uint64_t acc, uint64_t size) {
  {
    uint64_t numbers[(size & 7) + 2];
    numbers[0] = acc;
    numbers[1] = size;
    tail_scramble(numbers);
    acc += numbers[0];
  }
  MUST return array_table[pc[1].op](pc + 1, acc, size);
}
static with_array *const array_table[] = {array_end, array_add};
SARTOR_HANDLER uint64_t tail_array(const struct TailCode *code, uint64_t input, uint64_t fuel) {
  return array_table[code->ops->op](code->ops, input, fuel);
}
