/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Which filters have code of their own. The variable PCAP_SARTOR says `off`, or how: `heat=N`
 * packets times instructions until a filter is hot, `wait` to wait for its code, and to say on
 * standard error what has come of it.
 */
#define _GNU_SOURCE

#include "psartor.h"

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sartor/sartor.h>

enum {
  SHORT = 3,        /* What has less accepts all, or nothing. */
  LOOK_AGAIN = 1024 /* packets, until the code may be there */
};

struct psartor_hot {
  sartor_binding *binding;
  sartor_invariant *promise;
  psartor_code code;
  int is_interpreted;       /* there is no code, and will be none */
  struct psartor_hot *next; /* of those that are released */
};

/* Bound by its name: without this, a linker would leave it in the static library. */
__attribute__((used)) static const psartor_handler linked = psartor_run;

/* To make the code takes the time in which as many are interpreted, roughly: 50 ms. */
static u_int heat = 1U << 27;
static int waits;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static sartor_runtime *runtime;                /* null: filters are interpreted */
static _Atomic(struct psartor_hot *) released; /* in whose code somebody may still be */

__attribute__((constructor)) static void read_environment(void) {
  const char *told = secure_getenv("PCAP_SARTOR");
  for (const char *word = told; word && *word; word += strcspn(word, ","), word += *word == ',')
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

static void open_runtime(void) {
  sartor_runtime *opened;
  if (sartor_open(&opened) != SARTOR_OK)
    say("interpreted", sartor_last_error());
  else if (!sartor_active(opened)) {
    say("interpreted", "Sartor is switched off, or has no compiler");
    sartor_close(opened);
  } else
    runtime = opened;
}

/* What is asked for, and given back */

static void keep(struct psartor_hot *hot) {
  hot->next = atomic_load(&released);
  while (!atomic_compare_exchange_weak(&released, &hot->next, hot))
    ;
}

static void give_back(struct psartor_hot *hot) {
  if (hot->promise && !sartor_reusable(hot->promise)) {
    keep(hot);
    return;
  }
  sartor_release(hot->binding);
  sartor_invalidate(hot->promise);
  free(hot);
}

static void give_back_all(void) {
  struct psartor_hot *hot = atomic_exchange(&released, NULL);
  while (hot) {
    struct psartor_hot *next = hot->next;
    give_back(hot);
    hot = next;
  }
}

static struct psartor_hot *ask_for_code(const struct bpf_program *program) {
  const sartor_argument arguments[] = {{SARTOR_ARGUMENT_POINTER, {.pointer = program->bf_insns}},
                                       {SARTOR_ARGUMENT_UNBOUND, {0}},
                                       {SARTOR_ARGUMENT_UNBOUND, {0}},
                                       {SARTOR_ARGUMENT_UNBOUND, {0}},
                                       {SARTOR_ARGUMENT_POINTER, {.pointer = NULL}}};
  struct psartor_hot *hot = calloc(1, sizeof *hot);
  if (!hot)
    return NULL;
  if (sartor_promise(program->bf_insns, program->bf_len * sizeof *program->bf_insns,
                     &hot->promise) ||
      sartor_bind(runtime, "psartor_run", arguments, 5, &hot->binding) ||
      sartor_binding_function(hot->binding, (void (**)(void))&hot->code)) {
    say("interpreted", sartor_last_error());
    if (hot->promise)
      sartor_invalidate_later(hot->promise);
    give_back(hot);
    return NULL;
  }
  return hot;
}

/* Until then, the binding's function would run the handler's native code, which is slower than the
 * interpreter that the program has. */
static void begin_with_code(struct psartor *filter) {
  char *told;
  struct psartor_hot *hot = filter->hot;
  hot->is_interpreted = sartor_binding_wait_and_tell(hot->binding, &told) != SARTOR_OK;
  if (hot->is_interpreted) {
    say("interpreted", sartor_last_error());
    return;
  }
  say("specialized", told);
  sartor_free(told);
  filter->left = 0;
  filter->run = hot->code;
}

/* Filters */

static void is_hot(struct psartor *filter, const struct bpf_program *program) {
  const char *why_not = program->bf_len < SHORT ? "it is too short" : psartor_undefined(program);
  if (why_not) {
    say("interpreted", why_not);
    return;
  }
  pthread_once(&once, open_runtime);
  filter->hot = runtime ? ask_for_code(program) : NULL;
}

void psartor_count(struct psartor *filter, const struct bpf_program *program) {
  filter->left = UINT_MAX; /* for good, or until as many packets have come by */
  if (heat == 0)
    return;
  if (program->bf_len < heat && !filter->is_counted) {
    filter->is_counted = 1;
    filter->left = heat / program->bf_len;
    return;
  }
  if (!filter->hot)
    is_hot(filter, program);
  if (!filter->hot || filter->hot->is_interpreted)
    return;
  if (waits || sartor_binding_ready(filter->hot->binding))
    begin_with_code(filter);
  else
    filter->left = LOOK_AGAIN;
}

void psartor_release(struct psartor *filter) {
  struct psartor_hot *hot = filter->hot;
  memset(filter, 0, sizeof *filter);
  if (!hot)
    return;
  sartor_invalidate_later(hot->promise);
  give_back_all();
  give_back(hot);
}
