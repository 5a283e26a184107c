/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Which statements are hot, and their variants: asked for on the thread that runs the statement,
 * waited for on one of our own. The variable SQLITE_SARTOR says `off`, or how: `heat=N` steps of
 * the interpreter until a statement is hot, `statements=N` at most, `wait` for each variant,
 * `native` to run the handler's native code in its place, which is slow, and tells mistakes of the
 * handler from those of variants.
 */
#define _GNU_SOURCE
#include "ssartor_program.h"

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <sartor/sartor.h>

enum { MOST_STATEMENTS = 4096, MOST_KEYS = 64 };

typedef int (*Run)(Vdbe *, int);
enum State { ASKED, READY, FAILED };
typedef struct SsartorStatement {
  Run run;
  void (*compare)(void); /* of a key, in place of that */
  enum State state;
  int is_waited_for;        /* by the thread */
  unsigned char *may_begin; /* by instruction */
  SsartorProgram *program;
  sartor_binding *binding;
  sartor_invariant *promise;
  struct SsartorStatement *next;
} SsartorStatement;

static u32 heat = UINT_MAX;
static u32 least = 200; /* With fewer, more is lost by beginning and ending than is gained. */
static int most_statements = 200;
static int waits;
static int is_native;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t asked = PTHREAD_COND_INITIALIZER;
static sartor_runtime *runtime; /* null until the thread has opened it */
static int has_thread;
static int count;                                       /* of those that are in one of the lists */
static SsartorStatement *statements;                    /* whose Vdbe is there */
static SsartorStatement *forgotten;                     /* whose is not */
static SsartorStatement left_alone = {.state = FAILED}; /* stands for all that get no variant */

static int is_off(const char *text) {
  return text && (!strcmp(text, "off") || !strcmp(text, "0") || !strcmp(text, "no") ||
                  !strcmp(text, "false"));
}

__attribute__((constructor)) static void read_environment(void) {
  const char *told = getenv("SQLITE_SARTOR");
  if (is_off(getenv("SARTOR")) || is_off(told))
    return;
  heat = 1000000;
  for (const char *word = told; word && *word; word += strcspn(word, ","), word += *word == ',') {
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

static void destroy(SsartorStatement *s) {
  sartor_release(s->binding);
  if (s->promise)
    sartor_invalidate(s->promise);
  free(s->program);
  free(s->may_begin);
  free(s);
}

/* The thread */

/* Of what is left when a program has been followed, little is to be gained by more, and it takes
 * half as long. */
static const char passes[] =
    "always-inline,cgscc(inline,function<eager-inv>(sroa<modify-cfg>,early-cse<memssa>,"
    "simplifycfg<switch-range-to-icmp>,jump-threading,instcombine<no-verify-fixpoint>,gvn,dse,adce,"
    "simplifycfg<switch-range-to-icmp;hoist-common-insts;sink-common-insts>)),globaldce,"
    "elim-avail-extern";

static void open_runtime(void) {
  sartor_runtime *opened = NULL;
  if (sartor_open_with(is_native ? "{\"compiler\": \"none\"}"
                                 : "{\"quick_tier\": false, \"compile_timeout\": 300}",
                       &opened) ||
      (!is_native && sartor_customize_pipeline(opened, passes, NULL))) {
    fprintf(stderr, "sqlite: no statement is specialized: %s\n", sartor_last_error());
    most_statements = 0;
  }
  pthread_mutex_lock(&lock);
  runtime = opened;
  pthread_mutex_unlock(&lock);
}

/* Whether nothing of the program is interpreted any more; else it would be slower than before. */
static int is_followed(const char *told) {
  return !strstr(told, "is followed in part") && !strstr(told, "is not followed");
}

static void wait_for(SsartorStatement *s) {
  char *told = NULL;
  const int failed = sartor_binding_wait_and_tell(s->binding, &told) || !is_followed(told);
  sartor_free(told);
  __atomic_store_n(&s->state, failed ? FAILED : READY, __ATOMIC_RELEASE);
}

/* One whose promise nobody leans on any more, taken from the list. */
static SsartorStatement *find_reusable(void) {
  for (SsartorStatement **s = &forgotten; *s; s = &(*s)->next)
    if (!(*s)->is_waited_for && (!(*s)->promise || sartor_reusable((*s)->promise))) {
      SsartorStatement *found = *s;
      *s = found->next;
      --count;
      return found;
    }
  return NULL;
}

static void *work(void *unused) {
  (void)unused;
  if (!waits)
    open_runtime();
  pthread_mutex_lock(&lock);
  for (;;) {
    SsartorStatement *next = statements;
    while (next && next->state != ASKED)
      next = next->next;
    if (next) {
      next->is_waited_for = 1;
      pthread_mutex_unlock(&lock);
      wait_for(next);
      pthread_mutex_lock(&lock);
      next->is_waited_for = 0;
      continue;
    }
    SsartorStatement *reusable = find_reusable();
    if (reusable) {
      pthread_mutex_unlock(&lock);
      destroy(reusable);
      pthread_mutex_lock(&lock);
      continue;
    }
    if (forgotten) {
      struct timespec until;
      clock_gettime(CLOCK_REALTIME, &until);
      until.tv_sec += 1;
      pthread_cond_timedwait(&asked, &lock, &until);
    } else
      pthread_cond_wait(&asked, &lock);
  }
  return NULL;
}

/* In a child, what is in force stays. Nothing more is made. */
static void forget_thread(void) {
  pthread_mutex_init(&lock, NULL);
  most_statements = 0;
}

static void start_thread(void) {
  pthread_t thread;
  pthread_atfork(NULL, NULL, forget_thread);
  has_thread = pthread_create(&thread, NULL, work, NULL) == 0;
  if (has_thread)
    pthread_detach(thread);
  else
    most_statements = 0;
}

/* Hot statements */

static int run_native(Vdbe *p, int start) {
  return sqlite3SsartorRun(p, start, p->pSsartor->program);
}

static void add(SsartorStatement *s) {
  if (waits && s->state == ASKED)
    wait_for(s);
  s->next = statements;
  statements = s;
  ++count;
  pthread_cond_signal(&asked);
}

static SsartorStatement *ask_for(const Vdbe *p) {
  SsartorStatement *s = calloc(1, sizeof *s);
  size_t size;
  s->program = ssartor_make_program(p, &size, &s->may_begin);
  const sartor_argument own[] = {{SARTOR_ARGUMENT_UNBOUND, {0}},
                                 {SARTOR_ARGUMENT_UNBOUND, {0}},
                                 {SARTOR_ARGUMENT_POINTER, {.pointer = s->program}}};
  s->run = run_native;
  if (is_native)
    s->state = READY;
  else
    s->state = sartor_promise(s->program, size, &s->promise) ||
                       sartor_bind(runtime, "sqlite3SsartorRun", own, 3, &s->binding) ||
                       sartor_binding_function(s->binding, (void (**)(void))&s->run)
                   ? FAILED
                   : ASKED;
  add(s);
  return s;
}

/* Whether there is a runtime; else it will be there later. */
static int begin(void) {
  if (!has_thread && most_statements > 0) {
    if (waits) {
      pthread_mutex_unlock(&lock);
      open_runtime();
      pthread_mutex_lock(&lock);
    }
    if (!has_thread)
      start_thread();
  }
  return runtime != NULL;
}

static void is_hot(Vdbe *p) {
  if (!ssartor_may_have_variant(p)) {
    p->pSsartor = &left_alone;
    return;
  }
  pthread_mutex_lock(&lock);
  const int has_begun = begin();
  if (count >= most_statements)
    p->pSsartor = &left_alone;
  else if (has_begun)
    p->pSsartor = ask_for(p);
  pthread_mutex_unlock(&lock);
}

/* Keys of sorters, by what is to be known of them. They stay. */

typedef struct Key {
  SsartorKey key;
  i64 bytes; /* that have been sorted by it */
  SsartorStatement *variant;
  struct Key *next;
} Key;
static Key *keys;
static int keys_count;

/* Whether a variant can know all of it. */
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

static SsartorStatement *ask_for_key(Key *key) {
  SsartorStatement *s = calloc(1, sizeof *s);
  sartor_argument own[7] = {{SARTOR_ARGUMENT_UNBOUND, {0}}};
  own[6] = (sartor_argument){SARTOR_ARGUMENT_POINTER, {.pointer = &key->key}};
  s->state = sartor_promise(&key->key, sizeof key->key, &s->promise) ||
                     sartor_bind(runtime, "sqlite3SsartorCompare", own, 7, &s->binding) ||
                     sartor_binding_function(s->binding, &s->compare)
                 ? FAILED
                 : ASKED;
  add(s);
  return s;
}

/* A function of SortSubtask's, or null. */
void (*sqlite3SsartorGetCompare(const KeyInfo *from, i64 bytes))(void) {
  SsartorKey wanted;
  void (*found)(void) = NULL;
  if (heat == UINT_MAX || !describe(&wanted, from))
    return NULL;
  pthread_mutex_lock(&lock);
  Key *key = find_key(&wanted);
  if (key) {
    key->bytes += bytes;
    if (!key->variant && key->bytes >= heat && begin() && count < most_statements && !is_native)
      key->variant = ask_for_key(key);
    if (key->variant && __atomic_load_n(&key->variant->state, __ATOMIC_ACQUIRE) == READY)
      found = key->variant->compare;
  }
  pthread_mutex_unlock(&lock);
  return found;
}

void sqlite3SsartorForget(Vdbe *p) {
  SsartorStatement *found = p->pSsartor;
  p->pSsartor = NULL;
  if (!found || found == &left_alone)
    return;
  pthread_mutex_lock(&lock);
  SsartorStatement **s = &statements;
  while (*s != found)
    s = &(*s)->next;
  *s = found->next;
  if (found->promise)
    sartor_invalidate_later(found->promise);
  found->next = forgotten;
  forgotten = found;
  pthread_cond_signal(&asked);
  pthread_mutex_unlock(&lock);
}

int sqlite3SsartorExec(Vdbe *p) {
  const SsartorStatement *s = p->pSsartor;
  if (s && __atomic_load_n(&s->state, __ATOMIC_ACQUIRE) == READY && s->may_begin[p->pc] &&
      !p->db->xProgress) {
    const int rc = s->run(p, p->pc);
    return rc == SSARTOR_LEFT ? sqlite3SsartorStep(p, -1) : rc;
  }
  const int rc = sqlite3VdbeExec(p);
  const u32 steps = p->aCounter[SQLITE_STMTSTATUS_VM_STEP];
  if (!s && steps >= heat && steps >= (u64)least * p->aCounter[SQLITE_STMTSTATUS_RUN])
    is_hot(p);
  return rc;
}
