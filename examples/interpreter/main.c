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
  return sartor_guest_state_of(&program->hot) == SARTOR_GUEST_REQUESTED;
}

static const char *how_it_runs(const struct program *program) {
  return sartor_guest_state_of(&program->hot) == SARTOR_GUEST_READY ? "has a variant"
                                                                    : "is interpreted";
}

static void report(void *program, enum sartor_guest_state state, const char *text) {
  (void)program;
  if (state != SARTOR_GUEST_READY)
    printf("stays interpreted: %s\n", text);
}

/* Computes the sum of 0 .. 9. */
static const struct instruction sum[] = {
    {LOAD, 0, 0, 0, 0},  {LOAD, 1, 0, 0, 0},    {LOAD, 2, 0, 0, 1},
    {LOAD, 3, 0, 0, 10}, {ADD, 0, 0, 1, 0},     {ADD, 1, 1, 2, 0},
    {LESS, 4, 1, 3, 0},  {JUMP_IF, 4, 0, 0, 4}, {RETURN, 0, 0, 0, 0}};
/* Calls `sum` twice and adds the results. */
static const struct instruction twice[] = {
    {CALL, 0, 0, 0, 0}, {CALL, 1, 0, 0, 0}, {ADD, 0, 0, 1, 0}, {RETURN, 0, 0, 0, 0}};
/* Calls `sum` once more and frees it. */
static const struct instruction last[] = {
    {CALL, 0, 0, 0, 0}, {FREE, 0, 0, 0, 0}, {RETURN, 0, 0, 0, 0}};

int main(void) {
  static struct machine machine;
  long registers[64] = {0};
  machine.programs[0] = make(sum, sizeof sum, 5);
  machine.programs[1] = make(twice, sizeof twice, 2);
  machine.programs[2] = make(last, sizeof last, 1);
  const sartor_guest_limits limits = {.most = 100, .report = report};
  sartor_runtime *runtime;
  if (sartor_open(&runtime) || sartor_guest_programs_open(runtime, &limits, &machine.hot)) {
    printf("%s\n", sartor_last_error());
    return 1;
  }
  long total = 0;
  for (int i = 0; i < 200; ++i)
    total += call(&machine, 1, registers);
  /* Until each has a variant, or is known to get none. */
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
  sartor_guest_programs_close(machine.hot);
  sartor_close(runtime);
  return 0;
}
