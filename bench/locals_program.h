/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef SARTOR_BENCH_LOCALS_PROGRAM_H
#define SARTOR_BENCH_LOCALS_PROGRAM_H

#ifdef __cplusplus
extern "C" {
#endif

/* A machine whose registers are in memory, where other code reads them when it polls, and a program
 * for it: a loop of arithmetic that polls once in some thousand rounds. */
enum LocalsOperation {
  locals_multiply,
  locals_add,
  locals_exclusive_or,
  locals_shift,
  locals_count_down,
  locals_poll_if_zero,
  locals_jump_if,
  locals_leave
};

struct LocalsInstruction {
  unsigned char operation, a, b, c;
};

struct LocalsProgram {
  const struct LocalsInstruction *code;
};

enum { locals_registers = 8 };

struct LocalsMachine {
  unsigned long registers[locals_registers];
  unsigned long polled;
};

extern const struct LocalsInstruction locals_code[9];

typedef unsigned long LocalsRun(const struct LocalsProgram *program, struct LocalsMachine *machine);

LocalsRun locals_in_memory, locals_in_values, locals_in_tails; /* handlers */
unsigned long locals_by_hand(struct LocalsMachine *machine);
void locals_poll(struct LocalsMachine *machine);

#ifdef __cplusplus
}
#endif

#endif
