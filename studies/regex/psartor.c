/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Which patterns are hot, and their variants: asked for and waited for on a thread of our own. The
 * variable PCRE2_SARTOR says `off`, or how: `heat=N` uses until a pattern is hot, `patterns=N` at
 * most, `wait` for each variant, `native` to run the handler's native code in its place, `tell`
 * which patterns stay interpreted, and why.
 */
#define _GNU_SOURCE
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif
#include "pcre2_internal.h"

#include "psartor.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <sartor/sartor.h>

enum State { ASKED, READY, FAILED };
typedef struct Entry {
  psartor_Pattern pattern;
  pcre2_real_code *re; /* null once that has been freed */
  enum State state;
  int is_waited_for; /* by the thread */
  sartor_binding *binding;
  sartor_invariant *promise;
  struct Entry *next;
} Entry;

uintptr_t psartor_heat;

static uintptr_t heat = 1000;
static int most_patterns = 1000;
static int waits;
static int is_native;
static int tells;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t asked = PTHREAD_COND_INITIALIZER;
static sartor_runtime *runtime;
static int is_begun; /* there is a runtime, or none can be had */
static int count;
static Entry *entries; /* of patterns that are there */
static Entry *freed;

static int is_off(const char *text) {
  return text && (!strcmp(text, "off") || !strcmp(text, "0") || !strcmp(text, "no") ||
                  !strcmp(text, "false"));
}

__attribute__((constructor)) static void read_environment(void) {
  const char *told = getenv("PCRE2_SARTOR");
  if (is_off(getenv("SARTOR")) || is_off(told))
    return;
  for (const char *word = told; word && *word; word += strcspn(word, ","), word += *word == ',') {
    unsigned long number;
    if (sscanf(word, "heat=%lu", &number) == 1)
      heat = number < 1 ? 1 : number < PSARTOR_NEVER ? number : PSARTOR_NEVER;
    else if (sscanf(word, "patterns=%lu", &number) == 1)
      most_patterns = number < 100000 ? (int)number : 100000;
    else if (!strncmp(word, "wait", 4))
      waits = 1;
    else if (!strncmp(word, "native", 6))
      is_native = waits = 1;
    else if (!strncmp(word, "tell", 4))
      tells = 1;
    else
      fprintf(stderr,
              "pcre2: PCRE2_SARTOR: \"%s\" means nothing: write off, heat=N, patterns=N, wait, "
              "tell\n",
              word);
  }
  psartor_heat = heat;
}

/* What a variant has to know */

/* What there is in a pattern that changes a frame's other parts than where it is. */
static uint32_t find_what_it_has(PCRE2_SPTR code, BOOL utf) {
  if (utf)
    return PSARTOR_ALL; /* characters are of many lengths */
  uint32_t has = 0;
  for (;;) {
    const PCRE2_UCHAR c = *code;
    switch (c) {
    case OP_END:
      return has;
    case OP_RECURSE:
      has |= PSARTOR_RECURSES;
      break;
    case OP_SET_SOM:
      has |= PSARTOR_MOVES_START;
      break;
    case OP_CALLOUT:
    case OP_CALLOUT_STR:
      has |= PSARTOR_CALLS_OUT;
      break;
    case OP_ONCE:
    case OP_ASSERT:
    case OP_ASSERTBACK:
    case OP_COND:
    case OP_SCOND:
      has |= PSARTOR_CUTS;
      break;
    case OP_MARK:
    case OP_COMMIT_ARG:
    case OP_PRUNE_ARG:
    case OP_SKIP_ARG:
    case OP_THEN_ARG:
      has |= PSARTOR_MARKS;
      code += code[1];
      break;
    case OP_TYPESTAR:
    case OP_TYPEMINSTAR:
    case OP_TYPEPLUS:
    case OP_TYPEMINPLUS:
    case OP_TYPEQUERY:
    case OP_TYPEMINQUERY:
    case OP_TYPEPOSSTAR:
    case OP_TYPEPOSPLUS:
    case OP_TYPEPOSQUERY:
      if (code[1] == OP_PROP || code[1] == OP_NOTPROP)
        code += 2;
      break;
    case OP_TYPEPOSUPTO:
    case OP_TYPEUPTO:
    case OP_TYPEMINUPTO:
    case OP_TYPEEXACT:
      if (code[1 + IMM2_SIZE] == OP_PROP || code[1 + IMM2_SIZE] == OP_NOTPROP)
        code += 2;
      break;
    default:
      break;
    }
    code += c == OP_XCLASS        ? GET(code, 1)
            : c == OP_CALLOUT_STR ? GET(code, 1 + 2 * LINK_SIZE)
                                  : PRIV(OP_lengths)[c];
  }
}

static void fill(psartor_Program *program, const pcre2_real_code *re) {
  program->start_code =
      (PCRE2_SPTR)((const uint8_t *)re + sizeof *re) + re->name_count * re->name_entry_size;
  program->frame_size = (offsetof(heapframe, ovector) + re->top_bracket * 2 * sizeof(PCRE2_SIZE) +
                         HEAPFRAME_ALIGNMENT - 1) &
                        ~(HEAPFRAME_ALIGNMENT - 1);
  program->top_bracket = re->top_bracket;
  program->has = find_what_it_has(program->start_code, (re->overall_options & PCRE2_UTF) != 0);
}

static int promise(Entry *e) {
  const psartor_Program *program = &e->pattern.program;
  const pcre2_real_code *re = e->re;
  const size_t size = re->blocksize;
  const size_t before = offsetof(pcre2_real_code, sartor);
  const size_t after = before + sizeof re->sartor;
  const sartor_part parts[] = {
      {program, sizeof *program, program, sizeof *program},
      {re, size, re, before},
      {re, size, (const char *)re + after, size - after},
      {re->tables, TABLES_LENGTH, re->tables, TABLES_LENGTH},
      {PRIV(OP_lengths), OP_TABLE_LENGTH, PRIV(OP_lengths), OP_TABLE_LENGTH},
      {PRIV(utf8_table3), 6 * sizeof(int), PRIV(utf8_table3), 6 * sizeof(int)},
      {PRIV(utf8_table4), 64, PRIV(utf8_table4), 64},
  };
  return sartor_promise_parts(parts, sizeof parts / sizeof *parts, &e->promise);
}

/* Called with the lock held, if anybody else may see the entry. */
static void decide(Entry *e, int failed) {
  if (failed && tells)
    fprintf(stderr, "pcre2: a pattern stays interpreted: %s\n", sartor_last_error());
  e->state = failed ? FAILED : READY;
  if (e->re)
    __atomic_store_n(&e->re->sartor, failed ? PSARTOR_NEVER : (uintptr_t)&e->pattern,
                     __ATOMIC_RELEASE);
}

static int bind(Entry *e) {
  const sartor_argument own[] = {
      {SARTOR_ARGUMENT_POINTER, {.pointer = &e->pattern.program}},
      {SARTOR_ARGUMENT_POINTER, {.pointer = e->re}},
      {SARTOR_ARGUMENT_UNBOUND, {0}},
      {SARTOR_ARGUMENT_UNBOUND, {0}},
      {SARTOR_ARGUMENT_UNBOUND, {0}},
      {SARTOR_ARGUMENT_UNBOUND, {0}},
      {SARTOR_ARGUMENT_UNBOUND, {0}},
      {SARTOR_ARGUMENT_UNBOUND, {0}},
  };
  return promise(e) || sartor_bind(runtime, "psartor_search", own, 8, &e->binding) ||
         sartor_binding_function(e->binding, (void (**)(void))&e->pattern.run);
}

static void destroy(Entry *e) {
  sartor_release(e->binding);
  if (e->promise)
    sartor_invalidate(e->promise);
  free(e);
}

/* The thread */

/* One whose promise nobody leans on any more, taken from the list. */
static Entry *find_reusable(void) {
  for (Entry **e = &freed; *e; e = &(*e)->next)
    if (!(*e)->is_waited_for && (!(*e)->promise || sartor_reusable((*e)->promise))) {
      Entry *found = *e;
      *e = found->next;
      --count;
      return found;
    }
  return NULL;
}

static void *work(void *unused) {
  (void)unused;
  pthread_mutex_lock(&lock);
  for (;;) {
    Entry *next = entries;
    while (next && next->state != ASKED)
      next = next->next;
    if (next) {
      next->is_waited_for = 1;
      pthread_mutex_unlock(&lock);
      const int failed = sartor_binding_wait(next->binding);
      pthread_mutex_lock(&lock);
      decide(next, failed);
      next->is_waited_for = 0;
      continue;
    }
    Entry *reusable = find_reusable();
    if (reusable) {
      pthread_mutex_unlock(&lock);
      destroy(reusable);
      pthread_mutex_lock(&lock);
      continue;
    }
    if (freed) {
      struct timespec until;
      clock_gettime(CLOCK_REALTIME, &until);
      until.tv_sec += 1;
      pthread_cond_timedwait(&asked, &lock, &until);
    } else
      pthread_cond_wait(&asked, &lock);
  }
  return NULL;
}

/* A child finds the lock free. What is in force stays; nothing more is made. */
static void before_fork(void) { pthread_mutex_lock(&lock); }
static void after_fork(void) { pthread_mutex_unlock(&lock); }
static void in_child(void) {
  most_patterns = 0;
  psartor_heat = 0;
  pthread_mutex_unlock(&lock);
}

static void begin(void) {
  pthread_t thread;
  is_begun = 1;
  if (!is_native &&
      sartor_open_with("{\"quick_tier\": false, \"compile_timeout\": 300}", &runtime)) {
    if (tells)
      fprintf(stderr, "pcre2: no pattern is specialized: %s\n", sartor_last_error());
    most_patterns = 0;
    return;
  }
  pthread_atfork(before_fork, after_fork, in_child);
  if (pthread_create(&thread, NULL, work, NULL) == 0)
    pthread_detach(thread);
  else
    most_patterns = 0;
}

/* Patterns */

static Entry *find_entry(const pcre2_real_code *re) {
  Entry *e = entries;
  while (e && e->re != re)
    e = e->next;
  return e;
}

void psartor_hot(pcre2_real_code *re) {
  pthread_mutex_lock(&lock);
  if (!is_begun)
    begin();
  if (find_entry(re) || count >= most_patterns) {
    if (!find_entry(re))
      __atomic_store_n(&re->sartor, PSARTOR_NEVER, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&lock);
    return;
  }
  Entry *e = calloc(1, sizeof *e);
  if (!e) {
    pthread_mutex_unlock(&lock);
    return;
  }
  e->re = re;
  fill(&e->pattern.program, re);
  __atomic_store_n(&re->sartor, PSARTOR_ASKED, __ATOMIC_RELAXED);
  ++count;
  e->next = entries;
  entries = e;
  if (is_native)
    decide(e, 0);
  else if (bind(e))
    decide(e, 1);
  else if (waits)
    decide(e, sartor_binding_wait(e->binding));
  else
    pthread_cond_signal(&asked);
  pthread_mutex_unlock(&lock);
}

void psartor_free(pcre2_real_code *re) {
  const uintptr_t seen = __atomic_load_n(&re->sartor, __ATOMIC_ACQUIRE);
  if (seen < psartor_heat || psartor_heat == 0)
    return;
  pthread_mutex_lock(&lock);
  for (Entry **e = &entries; *e; e = &(*e)->next)
    if ((*e)->re == re) {
      Entry *found = *e;
      *e = found->next;
      if (found->promise)
        sartor_invalidate_later(found->promise);
      found->re = NULL;
      if (found->state == ASKED && !found->is_waited_for)
        found->state = FAILED;
      found->next = freed;
      freed = found;
      pthread_cond_signal(&asked);
      break;
    }
  pthread_mutex_unlock(&lock);
}
