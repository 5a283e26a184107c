/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "machine.h"

#include <stdio.h>
#include <stdlib.h>

enum { HOT = 100 };

static void ask_for_variant(struct machine *machine, struct program *program) {
  const sartor_argument arguments[] = {{SARTOR_ARGUMENT_UNBOUND, {0}},
                                       {SARTOR_ARGUMENT_POINTER, {.pointer = program}},
                                       {SARTOR_ARGUMENT_UNBOUND, {0}}};
  if (sartor_promise_part(program, sizeof *program, program->code, sizeof program->code,
                          &program->promise) ||
      sartor_promise_part(program, sizeof *program, &program->registers, sizeof program->registers,
                          &program->promise) ||
      sartor_bind(machine->runtime, "run", arguments, 3, &program->binding))
    printf("stays interpreted: %s\n", sartor_last_error());
}

static void begin_with_variant(struct program *program) {
  void (*function)(void);
  if (!sartor_binding_wait(program->binding) &&
      !sartor_binding_function(program->binding, &function)) {
    program->variant = (variant)function;
    return;
  }
  printf("stays interpreted: %s\n", sartor_last_error());
  sartor_release(program->binding);
  program->binding = NULL;
}

long call(struct machine *machine, int index, long *registers) {
  struct program *program = machine->programs[index];
  machine->seen += machine->traces;
  if (program->variant && !machine->traces)
    return program->variant(machine, registers);
  if (++program->calls == HOT)
    ask_for_variant(machine, program);
  else if (program->binding && sartor_binding_ready(program->binding))
    begin_with_variant(program);
  return run(machine, program, registers);
}

/* From inside of a variant, perhaps: nobody can wait for it here. */
void free_program(struct machine *machine, int index) {
  struct program *program = machine->programs[index];
  machine->programs[index] = NULL;
  if (program->promise)
    sartor_invalidate_later(program->promise); /* no call that begins from now on leans on it */
  machine->freed[index] = program;
}

/* Now and then, where no variant runs. */
void give_back(struct machine *machine) {
  for (int i = 0; i < 8; ++i) {
    struct program *program = machine->freed[i];
    if (!program || (program->promise && !sartor_reusable(program->promise)))
      continue;
    sartor_release(program->binding);
    sartor_invalidate(program->promise);
    free(program);
    machine->freed[i] = NULL;
  }
}
