/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "locals_program.h"

#include <sartor/points.h>

/* One step of the interpreters. Where it is inlined, it is known whether registers are locals. */
static inline __attribute__((always_inline)) int step(const struct LocalsInstruction *i,
                                                      unsigned long *r) {
  switch (i->operation) {
  case locals_multiply:
    r[i->a] = r[i->b] * r[i->c] + 1;
    return 0;
  case locals_add:
    r[i->a] = r[i->b] + r[i->c];
    return 0;
  case locals_exclusive_or:
    r[i->a] = r[i->b] ^ r[i->c];
    return 0;
  case locals_shift:
    r[i->a] = r[i->b] >> i->c;
    return 0;
  case locals_count_down:
    --r[i->a];
    return 0;
  default:
    return i->operation;
  }
}

SARTOR_HANDLER unsigned long locals_in_memory(const struct LocalsProgram *program,
                                              struct LocalsMachine *machine) {
  unsigned long *r = machine->registers;
  for (const struct LocalsInstruction *pc = program->code;;) {
    const struct LocalsInstruction *i = pc++;
    switch (step(i, r)) {
    case locals_poll_if_zero:
      if ((r[i->a] & 4095) == 0)
        locals_poll(machine);
      break;
    case locals_jump_if:
      if (r[i->a])
        pc = program->code + i->b;
      break;
    case locals_leave:
      return r[i->a];
    }
  }
}

SARTOR_HANDLER unsigned long locals_in_values(const struct LocalsProgram *program,
                                              struct LocalsMachine *machine) {
  unsigned long *r = sartor_local(machine->registers, sizeof machine->registers);
  for (const struct LocalsInstruction *pc = program->code;;) {
    const struct LocalsInstruction *i = pc++;
    switch (step(i, r)) {
    case locals_poll_if_zero:
      if ((r[i->a] & 4095) == 0) {
        sartor_publish();
        locals_poll(machine);
        r = sartor_local(machine->registers, sizeof machine->registers);
      }
      break;
    case locals_jump_if:
      if (r[i->a])
        pc = program->code + i->b;
      break;
    case locals_leave:
      return r[i->a];
    }
  }
}
