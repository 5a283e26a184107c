/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* An interpreter that keeps its registers in memory, and declares when other code reads them. */
#ifndef SARTOR_TEST_SPECIALIZE_LOCAL_SHAPES_H
#define SARTOR_TEST_SPECIALIZE_LOCAL_SHAPES_H

#ifdef __cplusplus
extern "C" {
#endif

enum { local_registers = 8 };

enum LocalOperation {
  local_load,
  local_add,
  local_multiply,
  local_move,
  local_move_two,
  local_low_byte,
  local_jump,
  local_jump_if_odd,
  local_indexed_load,
  local_indexed_store,
  local_give,
  local_call,
  local_publish,
  local_again,
  local_return
};

struct LocalInstruction {
  unsigned char operation, a, b, c;
  int immediate;
};

struct LocalProgram {
  const struct LocalInstruction *code;
};

struct LocalMachine {
  long *registers;
  long spare[2][local_registers]; /* the registers may move there */
  long seen;
};

typedef long LocalHandler(const struct LocalProgram *program, struct LocalMachine *machine,
                          long fuel);

LocalHandler local_run, local_run_checked;
/* Memory of unknown size; with a pointer that is stored as a number; without accesses. */
LocalHandler local_unsized, local_lost, local_empty;
/* Other code changes memory that should not change. */
LocalHandler local_disturbed, local_disturbed_checked;

/* Reads all registers, changes some, and moves them. */
void local_look(struct LocalMachine *machine, long number);
/* The same, without moving them. */
void local_look_and_stay(struct LocalMachine *machine, long number);
void local_bump(long *number);

/* Numbers of random programs overflow. */
static inline long local_sum(long a, long b) { return (long)((unsigned long)a + (unsigned long)b); }
static inline long local_product(long a, long b) {
  return (long)((unsigned long)a * (unsigned long)b);
}

#ifdef __cplusplus
}
#endif

#endif
