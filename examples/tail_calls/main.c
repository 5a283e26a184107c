/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdio.h>

#include <sartor/c/sartor.h>

#include "machine.h"

/* Computes the sum of the numbers below register 3, divided by register 5. */
static const struct program program = {{{LOAD, 0, 0, 0, 0},
                                        {LOAD, 1, 0, 0, 0},
                                        {LOAD, 2, 0, 0, 1},
                                        {ADD, 0, 0, 1, 0},
                                        {ADD, 1, 1, 2, 0},
                                        {LESS, 4, 1, 3, 0},
                                        {JUMP_IF, 4, 0, 0, -3},
                                        {DIVIDE, 0, 0, 5, 0},
                                        {RETURN, 0, 0, 0, 0}}};

typedef long bound(long *registers);

int main(void) {
  sartor_runtime *runtime;
  sartor_invariant *invariant = NULL;
  sartor_binding *binding = NULL;
  void (*function)(void) = NULL;
  const sartor_argument arguments[] = {{SARTOR_ARGUMENT_POINTER, {.pointer = &program}},
                                       {SARTOR_ARGUMENT_UNBOUND, {0}}};
  if (sartor_open(&runtime) || sartor_invariant_declare(&program, sizeof program, &invariant) ||
      sartor_bind(runtime, "run", arguments, 2, &binding) || sartor_binding_wait(binding) ||
      sartor_binding_function(binding, &function)) {
    printf("%s\n", sartor_last_error());
    return 1;
  }
  const int divisors[] = {1, 5, 0};
  printf("generic:");
  for (int i = 0; i < 3; ++i)
    printf(" %ld", run(&program, (long[REGISTERS]){0, 0, 0, 11, 0, divisors[i]}));
  printf("\nbound:");
  for (int i = 0; i < 3; ++i)
    printf(" %ld", ((bound *)function)((long[REGISTERS]){0, 0, 0, 11, 0, divisors[i]}));
  printf("\n");
  sartor_release(binding);
  sartor_invalidate(invariant);
  sartor_close(runtime);
  return 0;
}
