/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Operations that continue at a saved position: they try one alternative, and return for
 * another. */
#include "tail_shapes.h"

#include <sartor/points.h>

#define MUST __attribute__((musttail))

enum { deepest = 8 };

typedef uint64_t operation(const struct TailOp *pc, const struct TailOp **saved, uint64_t depth,
                           uint64_t acc, uint64_t fuel);
static operation *const table[];
#define PASS(to) MUST return table[(to)->op]((to), saved, depth, acc, fuel)
#define OPERATION(name)                                                                            \
  static uint64_t name(const struct TailOp *pc, const struct TailOp **saved, uint64_t depth,       \
                       uint64_t acc, uint64_t fuel)

OPERATION(end) {
  (void)pc, (void)saved;
  return 1000 * depth + acc + fuel;
}
OPERATION(try) {
  if (depth == deepest || fuel-- == 0)
    return 7;
  saved[depth++] = sartor_one_of(pc + pc->immediate);
  PASS(pc + 1);
}
OPERATION(add) {
  acc = 3 * acc + (uint64_t)pc->immediate;
  PASS(pc + 1);
}
OPERATION(back_if_odd) {
  if (acc & 1) {
    if (depth == 0 || fuel-- == 0)
      return 8;
    const struct TailOp *place = sartor_one_of(saved[--depth]);
    PASS(place);
  }
  PASS(pc + 1);
}
static operation *const table[] = {end, try, add, back_if_odd};

SARTOR_HANDLER uint64_t tail_saved(const struct TailCode *code, uint64_t input, uint64_t fuel) {
  const struct TailOp *saved[deepest] = {0};
  return table[code->ops->op](code->ops, saved, 0, input, fuel);
}

typedef uint64_t lonely(const struct TailOp *pc, uint64_t acc, uint32_t fuel);
static lonely alone, alone_kept_out;
static lonely *const table_alone[] = {alone, alone_kept_out};

static uint64_t alone(const struct TailOp *pc, uint64_t acc, uint32_t fuel) {
  acc = acc * 7 + (uint64_t)pc->immediate;
  if (fuel == 0 || pc->op > 1)
    return acc;
  return table_alone[pc->op](pc + 1, acc, fuel - 1);
}

__attribute__((noinline)) static uint64_t alone_kept_out(const struct TailOp *pc, uint64_t acc,
                                                         uint32_t fuel) {
  if (fuel == 0)
    return acc;
  return table_alone[0](pc, acc ^ 99, fuel - 1);
}

SARTOR_HANDLER uint64_t tail_alone(const struct TailCode *code, uint64_t input, uint64_t fuel) {
  return table_alone[0](code->ops, input, (uint32_t)fuel);
}
