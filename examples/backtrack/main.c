/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdio.h>
#include <string.h>

#include <sartor/programs.h>

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

static sartor_programs *programs;
static sartor_program hot;

enum { HEAT = 1000 }; /* characters of text */

static void ask_for_variant(void) {
  const sartor_argument arguments[] = {{SARTOR_ARGUMENT_POINTER, {.pointer = &program}},
                                       {SARTOR_ARGUMENT_UNBOUND, {0}}};
  const sartor_part all[] = {{&program, sizeof program, &program, sizeof program}};
  const sartor_program_request request = {"match", arguments, 2, all, 1, NULL};
  sartor_ask_for(programs, &hot, &request);
}

/* By the variant, if that is faster. */
static int match_hot(const char *text) {
  const size_t size = strlen(text);
  sartor_run run;
  int (*own)(const char *) = (int (*)(const char *))sartor_begin_run(&hot, &run);
  const int matches = own ? own(text) : match(&program, text);
  sartor_end_run(&run, size); /* does nothing once it is known which is faster */
  if (sartor_count(&hot, size, HEAT))
    ask_for_variant();
  return matches;
}

int main(void) {
  static const char *const texts[] = {"acabad", "abacab", "ad", "acacacacad", "b"};
  const sartor_program_limits limits = {.measures = 1};
  sartor_runtime *runtime;
  if (sartor_open(&runtime) || sartor_open_programs(runtime, &limits, &programs)) {
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
  while (sartor_state_of(&hot) < SARTOR_PROGRAM_READY);
  printf("\n%d differ\n", differ);
  const char *why_not = sartor_why_not(&hot);
  printf("%s\n", why_not ? why_not : "worth it");
  sartor_close_programs(programs);
  sartor_close(runtime);
  return 0;
}
