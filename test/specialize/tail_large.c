/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Operations that are too large for all of them to be followed. */
#include "tail_shapes.h"

#include <sartor/points.h>

#define TEN(x) x x x x x x x x x x
#define LARGE(number)                                                                              \
  static uint64_t large_##number(const struct TailOp *pc, uint64_t *r, struct TailMachine *m,      \
                                 uint64_t acc) {                                                   \
    TEN(TEN(TEN(acc = (acc ^ m->input) * (2 * number + 3); acc ^= acc >> 7;)))                     \
    __attribute__((musttail)) return table[pc[1].op](pc + 1, r, m, acc);                           \
  }

static uint64_t (*const table[])(const struct TailOp *, uint64_t *, struct TailMachine *, uint64_t);

static uint64_t end(const struct TailOp *pc, uint64_t *r, struct TailMachine *m, uint64_t acc) {
  (void)pc, (void)r, (void)m;
  return acc;
}
LARGE(1)
LARGE(2)
LARGE(3)
LARGE(4)
LARGE(5)
LARGE(6)

static uint64_t (*const table[])(const struct TailOp *, uint64_t *, struct TailMachine *,
                                 uint64_t) = {end,     large_1, large_2, large_3,
                                              large_4, large_5, large_6};

SARTOR_HANDLER uint64_t tail_large(const struct TailCode *code, uint64_t input, uint64_t fuel) {
  struct TailMachine m = {code, fuel, input, 0};
  return table[code->ops->op](code->ops, 0, &m, 1);
}

SARTOR_HANDLER uint64_t tail_large_unknown(const struct TailCode *code, uint64_t input,
                                           uint64_t fuel) {
  struct TailMachine m = {code, fuel, input, 0};
  return large_1(code->ops + code->calls, 0, &m, 1);
}
