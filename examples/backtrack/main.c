/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdio.h>
#include <string.h>

#include <sartor/c/guest_programs.h>

#include "match.h"

/* The pattern (ab|ac)*ad. */
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

static sartor_guest_programs *programs;
static sartor_guest_program hot;

enum { HEAT = 1000 }; /* characters to match before a variant is requested */

static void ask_for_variant(void) {
  const sartor_argument arguments[] = {{SARTOR_ARGUMENT_POINTER, {.pointer = &program}},
                                       {SARTOR_ARGUMENT_UNBOUND, {0}}};
  const sartor_part all[] = {{&program, sizeof program, &program, sizeof program}};
  const sartor_guest_request request = {"match", arguments, 2, all, 1, NULL};
  sartor_guest_specialize(programs, &hot, &request);
}

/* Uses the variant if it is faster. While that is being measured, either one may run. */
static int match_hot(const char *text) {
  const size_t size = strlen(text);
  sartor_guest_run run;
  int (*own)(const char *) = (int (*)(const char *))sartor_guest_run_begin(&hot, &run);
  const int matches = own ? own(text) : match(&program, text);
  sartor_guest_run_end(&run, size); /* does nothing after the measurement has ended */
  if (sartor_guest_count(&hot, size, HEAT))
    ask_for_variant();
  return matches;
}

int main(void) {
  static const char *const texts[] = {"acabad", "abacab", "ad", "acacacacad", "b"};
  const sartor_guest_limits limits = {.measures = 1};
  sartor_runtime *runtime;
  if (sartor_open(&runtime) || sartor_guest_programs_open(runtime, &limits, &programs)) {
    printf("%s\n", sartor_last_error());
    return 1;
  }
  printf("interpreted:");
  for (int i = 0; i < 5; ++i)
    printf(" %d", match(&program, texts[i]));
  int differ = 0;
  do
    for (int i = 0; i < 5; ++i)
      differ += match_hot(texts[i]) != match(&program, texts[i]);
  while (sartor_guest_state_of(&hot) < SARTOR_GUEST_READY);
  printf("\n%d differ\n", differ);
  const char *why_not = sartor_guest_why_not(&hot);
  printf("%s\n", why_not ? why_not : "worth it");
  sartor_guest_programs_close(programs);
  sartor_close(runtime);
  return 0;
}
