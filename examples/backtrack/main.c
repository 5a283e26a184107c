/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdio.h>

#include <sartor/sartor.h>

#include "match.h"

/* (ab|ac)*ad */
static const struct program program = {{{TRY, 0, 8},
                                        {TRY, 0, 5},
                                        {CHARACTER, 'a', 0},
                                        {CHARACTER, 'b', 0},
                                        {JUMP, 0, 0},
                                        {CHARACTER, 'a', 0},
                                        {CHARACTER, 'c', 0},
                                        {JUMP, 0, 0},
                                        {CHARACTER, 'a', 0},
                                        {CHARACTER, 'd', 0},
                                        {FOUND, 0, 0}}};

int main(void) {
  static const char *const texts[] = {"acabad", "abacab", "ad", "acacacacad", "b"};
  sartor_runtime *runtime;
  sartor_invariant *promise = NULL;
  sartor_binding *binding = NULL;
  void (*function)(void) = NULL;
  const sartor_argument arguments[] = {{SARTOR_ARGUMENT_POINTER, {.pointer = &program}},
                                       {SARTOR_ARGUMENT_UNBOUND, {0}}};
  if (sartor_open(&runtime) || sartor_promise(&program, sizeof program, &promise) ||
      sartor_bind(runtime, "match", arguments, 2, &binding) || sartor_binding_wait(binding) ||
      sartor_binding_function(binding, &function)) {
    printf("%s\n", sartor_last_error());
    return 1;
  }
  printf("generic:");
  for (int i = 0; i < 5; ++i)
    printf(" %d", match(&program, texts[i]));
  printf("\nbound:");
  for (int i = 0; i < 5; ++i)
    printf(" %d", ((int (*)(const char *))function)(texts[i]));
  printf("\n");
  sartor_release(binding);
  sartor_invalidate(promise);
  sartor_close(runtime);
  return 0;
}
