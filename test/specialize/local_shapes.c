/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define NAME(function) function
#include "local_handlers.inc"

static long *lost;

SARTOR_HANDLER long local_unsized(const struct LocalProgram *program, struct LocalMachine *machine,
                                  long fuel) {
  long *registers = sartor_local(machine->registers, (unsigned long)fuel * sizeof(long));
  registers[0] += program->code->immediate;
  sartor_publish();
  return registers[0];
}

SARTOR_HANDLER long local_lost(const struct LocalProgram *program, struct LocalMachine *machine,
                               long fuel) {
  long *registers = sartor_local(machine->registers, local_registers * sizeof(long));
  lost = (long *)((uintptr_t)registers ^ (uintptr_t)fuel);
  registers[0] += program->code->immediate;
  return registers[0];
}

SARTOR_HANDLER long local_empty(const struct LocalProgram *program, struct LocalMachine *machine,
                                long fuel) {
  long *registers = sartor_local(machine->registers, local_registers * sizeof(long));
  return registers == machine->spare[0] ? fuel : program->code->immediate;
}
