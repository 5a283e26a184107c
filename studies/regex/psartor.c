/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** Counts uses to find hot patterns, requests their variants, and installs them, on the threads
 * that match. The variable PCRE2_SARTOR is `off` or options: `heat=N` uses until a pattern is
 * hot, `patterns=N` at most, `wait` for each variant, `native` to run the handler's native code
 * instead, `report` which patterns stay interpreted, and why. */
#define _GNU_SOURCE
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif
#include "pcre2_internal.h"

#include "psartor.h"

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sartor/c/guest_programs.h>

typedef struct Entry {
  psartor_Pattern pattern;
  pcre2_real_code *re;
  struct Entry *next;
} Entry;

uintptr_t psartor_heat;

static uintptr_t heat = 1000;
static int most_patterns = 1000;
static int waits;
static int is_native;
static int reports;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t asked = PTHREAD_COND_INITIALIZER;
static sartor_guest_programs *patterns; /* null: no compiler, or not needed */
static int is_begun;
static Entry *entries; /* entries of existing patterns */

static int is_off(const char *text) {
  return text && (!strcmp(text, "off") || !strcmp(text, "0") || !strcmp(text, "no") ||
                  !strcmp(text, "false"));
}

__attribute__((constructor)) static void read_environment(void) {
  const char *reported = getenv("PCRE2_SARTOR");
  if (is_off(getenv("SARTOR")) || is_off(reported))
    return;
  for (const char *word = reported; word && *word;
       word += strcspn(word, ","), word += *word == ',') {
    unsigned long number;
    if (sscanf(word, "heat=%lu", &number) == 1)
      heat = number < 1 ? 1 : number < PSARTOR_NEVER ? number : PSARTOR_NEVER;
    else if (sscanf(word, "patterns=%lu", &number) == 1)
      most_patterns = number < 100000 ? (int)number : 100000;
    else if (!strncmp(word, "wait", 4))
      waits = 1;
    else if (!strncmp(word, "native", 6))
      is_native = waits = 1;
    else if (!strncmp(word, "report", 6))
      reports = 1;
    else
      fprintf(stderr,
              "pcre2: PCRE2_SARTOR: \"%s\" means nothing: write off, heat=N, patterns=N, wait, "
              "report\n",
              word);
  }
  psartor_heat = most_patterns > 0 ? heat : 0; /* guest programs take 0 as their default */
}

/* Data for variants */

/* Finds the features of a pattern that change parts of a frame other than its position. */
static uint32_t find_what_it_has(PCRE2_SPTR code, BOOL utf) {
  if (utf)
    return PSARTOR_ALL; /* characters have different lengths */
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

/* Finds the ranges of characters set in a bitmap, if they are few and narrow: one of many
 * characters is found sooner by testing each in turn. */
static void find_ranges(psartor_Program *program, const uint8_t *bitmap) {
  uint8_t ranges = 0;
  int first = -1;
  int characters = 0;
  for (int c = 0; c <= 256; ++c) {
    const int is = c < 256 && bitmap[c / 8] & 1U << (c & 7);
    characters += is;
    if (is && first < 0)
      first = c;
    if (is || first < 0)
      continue;
    if (ranges == PSARTOR_RANGES || characters > PSARTOR_FEW)
      return;
    program->range[ranges].first = (uint8_t)first;
    program->range[ranges++].beyond = (uint8_t)(c - 1 - first);
    first = -1;
  }
  program->ranges = ranges;
}

/* The first instruction inside groups without alternatives. */
static PCRE2_SPTR find_first(PCRE2_SPTR code) {
  while ((*code == OP_BRA || *code == OP_CBRA) && code[GET(code, 1)] == OP_KET)
    code += PRIV(OP_lengths)[*code];
  return code;
}

static void fill(psartor_Program *program, const pcre2_real_code *re) {
  program->start_code =
      (PCRE2_SPTR)((const uint8_t *)re + sizeof *re) + re->name_count * re->name_entry_size;
  program->frame_size = (offsetof(heapframe, ovector) + re->top_bracket * 2 * sizeof(PCRE2_SIZE) +
                         HEAPFRAME_ALIGNMENT - 1) &
                        ~(HEAPFRAME_ALIGNMENT - 1);
  program->top_bracket = re->top_bracket;
  if (re->flags & (PCRE2_FIRSTSET | PCRE2_FIRSTMAPSET))
    program->searched = find_first(program->start_code);
  if (re->flags & PCRE2_FIRSTMAPSET)
    find_ranges(program, re->start_bitmap);
  program->has = find_what_it_has(program->start_code, (re->overall_options & PCRE2_UTF) != 0);
}

static void ask(Entry *e) {
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
  const sartor_argument own[8] = {{SARTOR_ARGUMENT_POINTER, {.pointer = program}},
                                  {SARTOR_ARGUMENT_POINTER, {.pointer = re}}};
  const sartor_guest_request request = {
      "psartor_search", own, 8, parts, sizeof parts / sizeof *parts, e};
  sartor_guest_specialize(patterns, &e->pattern.hot, &request);
}

static void report(void *entry, enum sartor_guest_state state, const char *text) {
  (void)entry;
  if (reports && state != SARTOR_GUEST_READY)
    fprintf(stderr, "pcre2: a pattern stays interpreted: %s\n", text);
}

static void before_fork(void) { pthread_mutex_lock(&lock); }
static void after_fork(void) { pthread_mutex_unlock(&lock); }

static void begin(void) {
  /* A partly compiled pattern continues in the interpreter at the first instruction that is not
   * compiled. */
  const sartor_guest_limits limits = {
      .most = (size_t)most_patterns, .waits = waits, .in_part = 1, .report = report};
  sartor_runtime *runtime;
  is_begun = 1;
  if (is_native)
    return;
  if (!sartor_open_with("{\"quick_tier\": false, \"compile_timeout\": 300}", &runtime) &&
      !sartor_guest_programs_open(runtime, &limits, &patterns))
    sartor_limit_bindings(runtime, "psartor_search", INT_MAX, NULL,
                          0); /* `patterns` is the limit */
  else if (reports)
    fprintf(stderr, "pcre2: no pattern is specialized: %s\n", sartor_last_error());
  pthread_atfork(before_fork, after_fork, after_fork); /* after Sartor's, which it uses */
}

/* Patterns */

static Entry *take_entry(const pcre2_real_code *re) {
  Entry **e = &entries;
  while (*e && (*e)->re != re)
    e = &(*e)->next;
  Entry *found = *e;
  if (found)
    *e = found->next;
  return found;
}

void psartor_hot(pcre2_real_code *re) {
  pthread_mutex_lock(&lock);
  if (!is_begun)
    begin();
  Entry *e = patterns || is_native ? calloc(1, sizeof *e) : NULL;
  if (e) {
    e->re = re;
    fill(&e->pattern.program, re);
    e->next = entries;
    entries = e;
    if (!is_native)
      ask(e);
  }
  __atomic_store_n(&re->sartor, e ? (uintptr_t)&e->pattern : PSARTOR_NEVER, __ATOMIC_RELEASE);
  pthread_mutex_unlock(&lock);
}

int psartor_look(psartor_Pattern *pattern, pcre2_real_code *re) {
  if (is_native)
    return 1;
  const psartor_Run run = (psartor_Run)sartor_guest_function(&pattern->hot);
  /* It is ready by now if another thread has just found that. */
  const enum sartor_guest_state state = sartor_guest_state_of(&pattern->hot);
  if (run)
    __atomic_store_n(&pattern->run, run, __ATOMIC_RELEASE);
  else if (state == SARTOR_GUEST_EXCLUDED || state == SARTOR_GUEST_COUNTED)
    __atomic_store_n(&re->sartor, PSARTOR_NEVER, __ATOMIC_RELAXED); /* or there is no room */
  return run != NULL;
}

void psartor_free(pcre2_real_code *re) {
  if (__atomic_load_n(&re->sartor, __ATOMIC_ACQUIRE) < psartor_heat || psartor_heat == 0)
    return;
  pthread_mutex_lock(&lock);
  Entry *e = take_entry(re);
  pthread_mutex_unlock(&lock);
  if (e)
    sartor_guest_release(&e->pattern.hot, free, e);
}
