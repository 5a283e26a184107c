/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** Specializes hot filters. The variable PCAP_SARTOR is `off` or options: `heat=N` packets times
 * instructions until a filter is hot, `wait` to wait for its code and to report the result on
 * standard error. */
#define _GNU_SOURCE

#include "psartor.h"

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sartor/c/guest_programs.h>

enum {
  SHORT = 3,        /* a shorter program accepts all packets, or none */
  LOOK_AGAIN = 1024 /* packets between checks whether the code is ready */
};

/* Referenced by its name: otherwise a linker would leave it in the static library. */
__attribute__((used)) static const psartor_handler linked = psartor_run;

/* A compilation takes about as long as interpreting this many: 50 ms. */
static u_int heat = 1U << 27;
static int waits;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static sartor_guest_programs *filters; /* null: filters are interpreted */

__attribute__((constructor)) static void read_environment(void) {
  const char *reported = secure_getenv("PCAP_SARTOR");
  for (const char *word = reported; word && *word; word += strcspn(word, ","), word += *word == ',')
    if (!strncmp(word, "off", 3))
      heat = 0;
    else if (!strncmp(word, "wait", 4))
      waits = 1;
    else if (sscanf(word, "heat=%u", &heat) != 1)
      fprintf(stderr, "libpcap: PCAP_SARTOR: \"%s\" means nothing: write off, heat=N, wait\n",
              word);
}

static void say(const char *what, const char *text) {
  if (waits)
    fprintf(stderr, "libpcap: %s: %s\n", what, text);
}

static void report(void *unused, enum sartor_guest_state state, const char *text) {
  (void)unused;
  say(state == SARTOR_GUEST_READY ? "specialized" : "interpreted", text);
}

static void open_filters(void) {
  /* A program that is too long is compiled in part, which is also faster. */
  const sartor_guest_limits limits = {.waits = waits, .in_part = 1, .report = report};
  sartor_runtime *runtime;
  if (sartor_open(&runtime) != SARTOR_OK ||
      sartor_guest_programs_open(runtime, &limits, &filters) != SARTOR_OK)
    say("interpreted", sartor_last_error());
}

static void ask_for_code(struct psartor *filter, const struct bpf_program *program) {
  const size_t size = program->bf_len * sizeof *program->bf_insns;
  const sartor_argument arguments[] = {{SARTOR_ARGUMENT_POINTER, {.pointer = program->bf_insns}},
                                       {SARTOR_ARGUMENT_UNBOUND, {0}},
                                       {SARTOR_ARGUMENT_UNBOUND, {0}},
                                       {SARTOR_ARGUMENT_UNBOUND, {0}},
                                       {SARTOR_ARGUMENT_POINTER, {.pointer = NULL}}};
  const sartor_part parts[] = {{program->bf_insns, size, program->bf_insns, size}};
  const sartor_guest_request request = {"psartor_run", arguments, 5, parts, 1, NULL};
  sartor_guest_specialize(filters, &filter->program, &request);
}

/* Filters */

/* Returns whether the filter has to be interpreted permanently. */
static int is_hopeless(const struct bpf_program *program) {
  const char *why_not = program->bf_len < SHORT ? "it is too short" : psartor_undefined(program);
  if (why_not)
    say("interpreted", why_not);
  else
    pthread_once(&once, open_filters);
  return why_not || !filters;
}

void psartor_count(struct psartor *filter, const struct bpf_program *program) {
  enum { FIRST = 1, HOT };
  filter->left = UINT_MAX; /* permanently, or for this many more packets */
  if (heat == 0)
    return;
  if (sartor_guest_state_of(&filter->program) == SARTOR_GUEST_COUNTED) {
    if (!sartor_guest_count(&filter->program, FIRST, HOT) && program->bf_len < heat) {
      filter->left = heat / program->bf_len;
      return;
    }
    if (is_hopeless(program))
      return;
    ask_for_code(filter, program);
  }
  filter->run = (psartor_code)sartor_guest_function(&filter->program);
  if (filter->run)
    filter->left = 0;
  else if (sartor_guest_state_of(&filter->program) != SARTOR_GUEST_EXCLUDED)
    filter->left = LOOK_AGAIN;
}

void psartor_release(struct psartor *filter) {
  sartor_guest_release(&filter->program, NULL, NULL);
  memset(filter, 0, sizeof *filter);
}
