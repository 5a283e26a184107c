// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_SPECIALIZE_TAIL_SHAPES_H
#define SARTOR_TEST_SPECIALIZE_TAIL_SHAPES_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Interpreters in tail-call form: each operation is a function that ends with a call of the next
 * one. */

enum TailOperation {
  tail_end,
  tail_load,
  tail_add,
  tail_subtract,
  tail_multiply,
  tail_input,
  tail_jump, /* to an operation by its number */
  tail_jump_if_zero,
  tail_jump_if_less,
  tail_jump_if_passed, /* by an argument, not by memory */
  tail_skip,           /* one condition, no branch */
  tail_go_to,          /* the next operation is in a register: one of the first three */
  tail_divide,         /* fails in another function of the type */
  tail_call_out,       /* to native code */
  tail_own_frame,      /* whose address is passed to native code */
  tail_elsewhere,      /* is in another file */
  tail_kept_out,       /* noinline, and continues */
  tail_pointed,        /* has a point */
  tail_run_other,      /* runs another program: the interpreter calls itself */
  tail_count
};

struct TailOp {
  uint8_t op, a, b, c;
  int32_t immediate;
};

struct TailCode {
  const struct TailOp *ops;
  const struct TailCode *other;
  uint64_t calls; /* never declared invariant */
};

struct TailMachine {
  const struct TailCode *code;
  uint64_t fuel, input, result;
};

uint64_t tail_native(uint64_t a, uint64_t b);
void tail_scramble(uint64_t *numbers);
/* Calls the operation in the table of tail_must. */
uint64_t tail_pass_on(const struct TailOp *pc, uint64_t *r, struct TailMachine *m, uint64_t acc);
uint64_t elsewhere_must(const struct TailOp *pc, uint64_t *r, struct TailMachine *m, uint64_t acc);

union TailWord {
  uint64_t (*operation)(const union TailWord *pc, uint64_t *r, struct TailMachine *m);
  int64_t number;
};

typedef uint64_t TailHandler(const struct TailCode *code, uint64_t input, uint64_t fuel);
/* Operations with mandatory tail calls, with optional ones, that preserve no registers, that
 * return nothing. */
TailHandler tail_must, tail_may, tail_preserve_none, tail_void;
/* The first operation is called by name; through another function; repeatedly. */
TailHandler tail_begun, tail_between, tail_repeated;
/* The next operation is unknown. */
TailHandler tail_unknown;
/* There are more operations than may be followed. */
TailHandler tail_large, tail_large_unknown;
/* Operations that cannot be inlined. */
TailHandler tail_structure, tail_array;
/* The handler cannot be copied block by block; the handler's registers are local memory. */
TailHandler tail_setjmp, tail_local;
/* The program contains the addresses of operations. */
uint64_t tail_threaded(const union TailWord *words, uint64_t input, uint64_t fuel);
/* add, multiply, load, jump_if_less, end */
extern uint64_t (*const tail_words[5])(const union TailWord *pc, uint64_t *r,
                                       struct TailMachine *m);
/* There is one operation; there is a second one that is not inlined. */
TailHandler tail_alone;
/* The next operation was saved. */
TailHandler tail_saved;
/* The handler is in C++, and operations throw exceptions. */
TailHandler tail_thrown;
/* The handler is an operation itself. */
uint64_t tail_itself(const struct TailOp *pc, uint64_t *r, struct TailMachine *m, uint64_t acc);

#ifdef __cplusplus
}
#endif

#endif
