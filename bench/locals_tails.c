/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The interpreter of locals_handler.c, with a function for each operation. */
#include "locals_program.h"

#include <sartor/points.h>

#define STATE                                                                                      \
  const struct LocalsInstruction *i, unsigned long *r, struct LocalsMachine *machine,              \
      const struct LocalsProgram *program
typedef unsigned long operation(STATE);
static operation *const operations[];

#define OPERATION(name) static unsigned long name(STATE)
#define NEXT(i)                                                                                    \
  __attribute__((musttail)) return operations[(i)->operation]((i), r, machine, program)

OPERATION(multiply) {
  r[i->a] = r[i->b] * r[i->c] + 1;
  NEXT(i + 1);
}
OPERATION(add) {
  r[i->a] = r[i->b] + r[i->c];
  NEXT(i + 1);
}
OPERATION(exclusive_or) {
  r[i->a] = r[i->b] ^ r[i->c];
  NEXT(i + 1);
}
OPERATION(shift) {
  r[i->a] = r[i->b] >> i->c;
  NEXT(i + 1);
}
OPERATION(count_down) {
  --r[i->a];
  NEXT(i + 1);
}
OPERATION(poll_if_zero) {
  if ((r[i->a] & 4095) == 0) {
    sartor_publish();
    locals_poll(machine);
    r = sartor_local(machine->registers, sizeof machine->registers);
  }
  NEXT(i + 1);
}
OPERATION(jump_if) {
  if (r[i->a])
    i = program->code + i->b;
  else
    ++i;
  NEXT(i);
}
OPERATION(leave) {
  (void)machine, (void)program;
  return r[i->a];
}

static operation *const operations[] = {multiply,   add,          exclusive_or, shift,
                                        count_down, poll_if_zero, jump_if,      leave};

SARTOR_HANDLER unsigned long locals_in_tails(const struct LocalsProgram *program,
                                             struct LocalsMachine *machine) {
  unsigned long *r = sartor_local(machine->registers, sizeof machine->registers);
  return operations[program->code->operation](program->code, r, machine, program);
}
