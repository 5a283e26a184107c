/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "machine.h"

SARTOR_HANDLER long run(struct machine *machine, const struct program *program, long *registers) {
  const struct instruction *pc = program->code;
  for (;;) {
    const struct instruction *i = pc++;
    sartor_assert_const(i->operation);
    switch (i->operation) {
    case LOAD:
      registers[i->a] = i->constant;
      break;
    case ADD:
      registers[i->a] = registers[i->b] + registers[i->c];
      break;
    case LESS:
      registers[i->a] = registers[i->b] < registers[i->c];
      break;
    case JUMP_IF: /* a branch for each way: behind it, the next instruction is known */
      if (registers[i->a])
        pc = program->code + i->constant;
      break;
    case CALL: /* what is called is another program, and its variant another function */
      registers[i->a] = call(machine, i->constant, registers + program->registers);
      break;
    case FREE:
      free_program(machine, i->constant);
      break;
    case RETURN:
      return registers[i->a];
    }
  }
}
