/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "machine.h"

#include <stdlib.h>

enum { HOT = 100 };

static void ask_for_variant(struct machine *machine, struct program *program) {
  const sartor_argument arguments[] = {{SARTOR_ARGUMENT_UNBOUND, {0}},
                                       {SARTOR_ARGUMENT_POINTER, {.pointer = program}},
                                       {SARTOR_ARGUMENT_UNBOUND, {0}}};
  const sartor_part parts[] = {
      {program, sizeof *program, program->code, sizeof program->code},
      {program, sizeof *program, &program->registers, sizeof program->registers}};
  const sartor_guest_request request = {"run", arguments, 3, parts, 2, program};
  sartor_guest_specialize(machine->hot, &program->hot, &request); /* report() gets the errors */
}

long call(struct machine *machine, int index, long *registers) {
  struct program *program = machine->programs[index];
  machine->seen += machine->traces;
  const variant own = (variant)sartor_guest_function(&program->hot);
  if (own && !machine->traces)
    return own(machine, registers);
  if (sartor_guest_count(&program->hot, 1, HOT))
    ask_for_variant(machine, program);
  return run(machine, program, registers);
}

/* May be called inside a variant, so it must not wait for the variant to end. */
void free_program(struct machine *machine, int index) {
  struct program *program = machine->programs[index];
  machine->programs[index] = NULL;
  sartor_guest_release(&program->hot, free, program);
}
