/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** Counts steps to find hot statements, requests their variants, and installs them, on the
 * thread that runs the statement. The variable SQLITE_SARTOR is `off` or options: `heat=N` steps
 * of the interpreter until a statement is hot, `statements=N` at most, `wait` for each variant,
 * `native` to run the handler's native code instead, which is slow but distinguishes bugs of the
 * handler from those of variants. */
#define _GNU_SOURCE
#include "ssartor_program.h"

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sartor/c/guest_programs.h>

enum { MOST_STATEMENTS = 1000, MOST_KEYS = 64 };

typedef int (*Run)(Vdbe *, int);
typedef struct SsartorStatement {
  Run run;                  /* null until the variant is ready */
  unsigned char *may_begin; /* for each instruction */
  SsartorProgram *program;
  sartor_guest_program hot;
} SsartorStatement;

static u32 heat = UINT_MAX;
static u32 least = 200; /* Minimum number of steps per run; below it, entering and leaving a variant
                           costs more than it gains. */
static int most_statements = 200;
static int waits;
static int is_native;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sartor_guest_programs *programs; /* null: no compiler, or not needed */
static int has_begun;
static SsartorStatement left_alone; /* placeholder for statements without a variant */

static int is_off(const char *text) {
  return text && (!strcmp(text, "off") || !strcmp(text, "0") || !strcmp(text, "no") ||
                  !strcmp(text, "false"));
}

__attribute__((constructor)) static void read_environment(void) {
  const char *reported = getenv("SQLITE_SARTOR");
  if (is_off(getenv("SARTOR")) || is_off(reported))
    return;
  heat = 1000000;
  for (const char *word = reported; word && *word;
       word += strcspn(word, ","), word += *word == ',') {
    if (sscanf(word, "heat=%u", &heat) == 1 || sscanf(word, "least=%u", &least) == 1 ||
        sscanf(word, "statements=%d", &most_statements) == 1)
      continue;
    if (!strncmp(word, "wait", 4))
      waits = 1;
    else if (!strncmp(word, "native", 6))
      is_native = waits = 1;
    else
      fprintf(stderr,
              "sqlite: SQLITE_SARTOR: \"%s\" means nothing: write off, heat=N, least=N, "
              "statements=N, wait\n",
              word);
  }
  if (least < 1)
    least = 1;
  if (most_statements > MOST_STATEMENTS)
    most_statements = MOST_STATEMENTS;
}

/* Called when no variant depends on the statement any more. */
static void destroy(void *statement) {
  SsartorStatement *s = statement;
  free(s->program);
  free(s->may_begin);
  free(s);
}

/* The runtime */

/* A specialized program gains little from further passes, and compilation takes half as long
 * without them. */
static const char passes[] =
    "always-inline,cgscc(inline,function<eager-inv>(sroa<modify-cfg>,early-cse<memssa>,"
    "simplifycfg<switch-range-to-icmp>,jump-threading,instcombine<no-verify-fixpoint>,gvn,dse,adce,"
    "simplifycfg<switch-range-to-icmp;hoist-common-insts;sink-common-insts>)),globaldce,"
    "elim-avail-extern";

static void open_runtime(void) {
  /* A variant that leaves parts of the program to the interpreter would be slower than the
   * interpreter. */
  const sartor_guest_limits limits = {.most = (size_t)most_statements, .waits = waits};
  sartor_runtime *opened = NULL;
  if (sartor_open_with("{\"quick_tier\": false, \"compile_timeout\": 300}", &opened) ||
      sartor_customize_pipeline(opened, passes, NULL) ||
      sartor_guest_programs_open(opened, &limits, &programs))
    fprintf(stderr, "sqlite: no statement is specialized: %s\n", sartor_last_error());
}

static void before_fork(void) { pthread_mutex_lock(&lock); }
static void after_fork(void) { pthread_mutex_unlock(&lock); }

/* Requires the lock. Returns whether a compiler is available. */
static int begin(void) {
  if (!has_begun && !is_native && most_statements > 0) {
    open_runtime();
    pthread_atfork(before_fork, after_fork, after_fork); /* after Sartor's, which it uses */
  }
  has_begun = 1;
  return programs != NULL;
}

/* Hot statements */

static int run_native(Vdbe *p, int start) {
  return sqlite3SsartorRun(p, start, p->pSsartor->program);
}

static int is_ready(SsartorStatement *s) {
  if (!s->run)
    s->run = (Run)sartor_guest_function(&s->hot);
  return s->run != NULL;
}

static SsartorStatement *ask_for(const Vdbe *p) {
  SsartorStatement *s = calloc(1, sizeof *s);
  size_t size;
  s->program = ssartor_make_program(p, &size, &s->may_begin);
  const sartor_argument own[] = {{SARTOR_ARGUMENT_UNBOUND, {0}},
                                 {SARTOR_ARGUMENT_UNBOUND, {0}},
                                 {SARTOR_ARGUMENT_POINTER, {.pointer = s->program}}};
  const sartor_part parts[] = {{s->program, size, s->program, size}};
  const sartor_guest_request request = {"sqlite3SsartorRun", own, 3, parts, 1, NULL};
  if (is_native)
    s->run = run_native;
  else
    sartor_guest_specialize(programs, &s->hot, &request);
  return s;
}

static void is_hot(Vdbe *p) {
  pthread_mutex_lock(&lock);
  const int may_ask = heat != UINT_MAX && (begin() || is_native); /* off, for any number of steps */
  pthread_mutex_unlock(&lock);
  p->pSsartor = may_ask && ssartor_may_have_variant(p) ? ask_for(p) : &left_alone;
}

/* Keys of sorters, by their descriptions. They are never freed. */

typedef struct Key {
  SsartorKey key;
  i64 bytes; /* bytes that were sorted by it */
  sartor_guest_program hot;
  struct Key *next;
} Key;
static Key *keys;
static int keys_count;

/* Returns whether a variant can handle the key completely. */
static int describe(SsartorKey *key, const KeyInfo *from) {
  memset(key, 0, sizeof *key);
  key->fields = from->nKeyField;
  if (key->fields > MOST_FIELDS)
    return 0;
  for (int i = 0; i < key->fields; ++i) {
    if (!sqlite3IsBinary(from->aColl[i]) || from->aSortFlags[i] & KEYINFO_ORDER_BIGNULL)
      return 0;
    key->descends[i] = from->aSortFlags[i] & KEYINFO_ORDER_DESC ? 1 : 0;
  }
  return 1;
}

static Key *find_key(const SsartorKey *wanted) {
  Key *key = keys;
  while (key && memcmp(&key->key, wanted, sizeof *wanted))
    key = key->next;
  if (!key && keys_count < MOST_KEYS) {
    key = calloc(1, sizeof *key);
    key->key = *wanted;
    key->next = keys;
    keys = key;
    ++keys_count;
  }
  return key;
}

static void ask_for_key(Key *key) {
  const sartor_argument own[7] = {[6] = {SARTOR_ARGUMENT_POINTER, {.pointer = &key->key}}};
  const sartor_part parts[] = {{&key->key, sizeof key->key, &key->key, sizeof key->key}};
  const sartor_guest_request request = {"sqlite3SsartorCompare", own, 7, parts, 1, NULL};
  sartor_guest_specialize(programs, &key->hot, &request);
}

/* Returns a compare function for SortSubtask, or null. */
void (*sqlite3SsartorGetCompare(const KeyInfo *from, i64 bytes))(void) {
  SsartorKey wanted;
  void (*found)(void) = NULL;
  if (heat == UINT_MAX || !describe(&wanted, from))
    return NULL;
  pthread_mutex_lock(&lock);
  Key *key = find_key(&wanted);
  if (key) {
    key->bytes += bytes;
    if (key->bytes >= heat && begin())
      ask_for_key(key); /* only once */
    found = sartor_guest_function(&key->hot);
  }
  pthread_mutex_unlock(&lock);
  return found;
}

void sqlite3SsartorForget(Vdbe *p) {
  SsartorStatement *found = p->pSsartor;
  p->pSsartor = NULL;
  if (found && found != &left_alone)
    sartor_guest_release(&found->hot, destroy, found);
}

int sqlite3SsartorExec(Vdbe *p) {
  SsartorStatement *s = p->pSsartor;
  if (s && is_ready(s) && s->may_begin[p->pc] && !p->db->xProgress) {
    const int rc = s->run(p, p->pc);
    return rc == SSARTOR_LEFT ? sqlite3SsartorStep(p, -1) : rc;
  }
  const int rc = sqlite3VdbeExec(p);
  const u32 steps = p->aCounter[SQLITE_STMTSTATUS_VM_STEP];
  if (!s && steps >= heat && steps >= (u64)least * p->aCounter[SQLITE_STMTSTATUS_RUN])
    is_hot(p);
  return rc;
}
