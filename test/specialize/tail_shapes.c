/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tail_shapes.h"

#include <setjmp.h>

#include <sartor/points.h>

#define BEGIN                                                                                      \
  uint64_t r[8] = {0};                                                                             \
  struct TailMachine m = {code, fuel, input, 0}

/* Mandatory tail calls (musttail). */
#define NAME(x) x##_must
#define LABEL "kind must"
#define MUST __attribute__((musttail))
#define KEEPING
#define RESULT uint64_t
#define GIVE(x) return x
#define ELSEWHERE
#include "tail_operations.inc"
#undef ELSEWHERE
uint64_t tail_pass_on(const struct TailOp *pc, uint64_t *r, struct TailMachine *m, uint64_t acc) {
  MUST return table_must[pc->op](pc, r, m, acc);
}

SARTOR_HANDLER uint64_t tail_must(const struct TailCode *code, uint64_t input, uint64_t fuel) {
  BEGIN;
  return table_must[code->ops->op](code->ops, r, &m, 1);
}

SARTOR_HANDLER uint64_t tail_setjmp(const struct TailCode *code, uint64_t input, uint64_t fuel) {
  BEGIN;
  jmp_buf there;
  if (setjmp(there))
    return 0;
  return table_must[code->ops->op](code->ops, r, &m, 1);
}

SARTOR_HANDLER uint64_t tail_local(const struct TailCode *code, uint64_t input, uint64_t fuel) {
  BEGIN;
  uint64_t *own = sartor_local(r, sizeof r);
  return table_must[code->ops->op](code->ops, own, &m, 1);
}

SARTOR_HANDLER uint64_t tail_begun(const struct TailCode *code, uint64_t input, uint64_t fuel) {
  BEGIN;
  return input_must(code->ops, r, &m, 1);
}

static uint64_t between(struct TailMachine *m, const struct TailOp *pc, uint64_t *r) {
  if (m->fuel == 0)
    return 0;
  return table_must[pc->op](pc, r, m, 1) + 7;
}

SARTOR_HANDLER uint64_t tail_between(const struct TailCode *code, uint64_t input, uint64_t fuel) {
  BEGIN;
  return between(&m, code->ops, r);
}

SARTOR_HANDLER uint64_t tail_repeated(const struct TailCode *code, uint64_t input, uint64_t fuel) {
  uint64_t sum = 0;
  for (uint64_t i = 0; i < 3; ++i) {
    BEGIN;
    sum = 5 * sum + table_must[code->ops->op](code->ops, r, &m, sum);
  }
  return sum;
}

SARTOR_HANDLER uint64_t tail_unknown(const struct TailCode *code, uint64_t input, uint64_t fuel) {
  BEGIN;
  const struct TailOp *pc = code->ops + code->calls; /* which is not invariant */
  return jump_must(pc, r, &m, 1) + 1;
}

SARTOR_HANDLER uint64_t tail_itself(const struct TailOp *pc, uint64_t *r, struct TailMachine *m,
                                    uint64_t acc) {
  MUST return table_must[pc->op](pc, r, m, acc);
}
#undef NAME
#undef LABEL
#undef MUST

/* Optional tail calls. */
#define NAME(x) x##_may
#define LABEL "kind may"
#define MUST
#include "tail_operations.inc"
SARTOR_HANDLER uint64_t tail_may(const struct TailCode *code, uint64_t input, uint64_t fuel) {
  BEGIN;
  return table_may[code->ops->op](code->ops, r, &m, 1);
}
#undef NAME
#undef LABEL
#undef MUST
#undef KEEPING

/* All registers are arguments. */
#define NAME(x) x##_preserve_none
#define LABEL "kind none"
#define MUST __attribute__((musttail))
#define KEEPING __attribute__((preserve_none))
#include "tail_operations.inc"
SARTOR_HANDLER uint64_t tail_preserve_none(const struct TailCode *code, uint64_t input,
                                           uint64_t fuel) {
  BEGIN;
  return table_preserve_none[code->ops->op](code->ops, r, &m, 1);
}
#undef NAME
#undef LABEL
#undef KEEPING
#undef RESULT
#undef GIVE

/* The result is returned in memory. */
#define NAME(x) x##_void
#define LABEL "kind void"
#define KEEPING
#define RESULT void
#define GIVE(x)                                                                                    \
  m->result = (x);                                                                                 \
  return
#include "tail_operations.inc"
SARTOR_HANDLER uint64_t tail_void(const struct TailCode *code, uint64_t input, uint64_t fuel) {
  BEGIN;
  table_void[code->ops->op](code->ops, r, &m, 1);
  return m.result;
}
