/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct program *make(const struct instruction *code, size_t size, int registers) {
  struct program *program = calloc(1, sizeof *program);
  memcpy(program->code, code, size);
  program->registers = registers;
  return program;
}

static int is_awaited(const struct program *program) {
  return sartor_state_of(&program->hot) == SARTOR_PROGRAM_ASKED_FOR;
}

static const char *how_it_runs(const struct program *program) {
  return sartor_state_of(&program->hot) == SARTOR_PROGRAM_READY ? "has a variant"
                                                                : "is interpreted";
}

static void tell(void *program, enum sartor_program_state state, const char *text) {
  (void)program;
  if (state != SARTOR_PROGRAM_READY)
    printf("stays interpreted: %s\n", text);
}

/* The sum of 0 .. 9. */
static const struct instruction sum[] = {
    {LOAD, 0, 0, 0, 0},  {LOAD, 1, 0, 0, 0},    {LOAD, 2, 0, 0, 1},
    {LOAD, 3, 0, 0, 10}, {ADD, 0, 0, 1, 0},     {ADD, 1, 1, 2, 0},
    {LESS, 4, 1, 3, 0},  {JUMP_IF, 4, 0, 0, 4}, {RETURN, 0, 0, 0, 0}};
/* Twice that. */
static const struct instruction twice[] = {
    {CALL, 0, 0, 0, 0}, {CALL, 1, 0, 0, 0}, {ADD, 0, 0, 1, 0}, {RETURN, 0, 0, 0, 0}};
/* Once more, and then nobody needs `sum` any more. */
static const struct instruction last[] = {
    {CALL, 0, 0, 0, 0}, {FREE, 0, 0, 0, 0}, {RETURN, 0, 0, 0, 0}};

int main(void) {
  static struct machine machine;
  long registers[64] = {0};
  machine.programs[0] = make(sum, sizeof sum, 5);
  machine.programs[1] = make(twice, sizeof twice, 2);
  machine.programs[2] = make(last, sizeof last, 1);
  const sartor_program_limits limits = {.most = 100, .tell = tell};
  sartor_runtime *runtime;
  if (sartor_open(&runtime) || sartor_open_programs(runtime, &limits, &machine.hot)) {
    printf("%s\n", sartor_last_error());
    return 1;
  }
  long total = 0;
  for (int i = 0; i < 200; ++i)
    total += call(&machine, 1, registers);
  /* Long enough for variants to be there, or to be known not to come. */
  while (is_awaited(machine.programs[0]) || is_awaited(machine.programs[1]))
    call(&machine, 1, registers);
  printf("total: %ld, sum %s, twice %s\n", total, how_it_runs(machine.programs[0]),
         how_it_runs(machine.programs[1]));

  machine.traces = 1;
  printf("traced: %ld", call(&machine, 1, registers));
  machine.traces = 0;
  printf(", %d calls seen\n", machine.seen);

  printf("last: %ld\n", call(&machine, 2, registers));
  free_program(&machine, 1);
  free_program(&machine, 2);
  sartor_close_programs(machine.hot);
  sartor_close(runtime);
  return 0;
}
