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

enum {
  MOST_STATEMENTS = 4096,
  MOST_INSTRUCTIONS = 1000 /* of a statement that is looked at */
};

typedef int (*Run)(Vdbe *, int);
enum State { ASKED, READY, FAILED };
typedef struct SsartorStatement {
  Run run;
  enum State state;
  int is_waited_for;        /* by the thread */
  unsigned char *may_begin; /* by instruction */
  SsartorProgram *program;
  size_t program_size;
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

/* What a variant has to know */

/* Memory that is measured first, and then filled. */
typedef struct Arena {
  char *memory; /* null while it is measured */
  size_t used;
} Arena;

static void *put(Arena *arena, const void *from, size_t size) {
  void *to = arena->memory ? arena->memory + arena->used : NULL;
  if (to && from)
    memcpy(to, from, size);
  arena->used += (size + 15) & ~(size_t)15;
  return to;
}

static const CollSeq *unless_binary(const CollSeq *collation) {
  return sqlite3IsBinary(collation) ? NULL : collation; /* is compared as blobs are */
}

/* A description of keys, as far as OP_Compare looks at it. */
static KeyInfo *put_key(Arena *arena, const KeyInfo *from, int fields) {
  KeyInfo *to = put(arena, from, offsetof(KeyInfo, aColl) + (size_t)fields * sizeof(CollSeq *));
  u8 *flags = put(arena, from->aSortFlags, (size_t)fields);
  if (to) {
    to->nRef = 0;
    to->db = NULL;
    to->aSortFlags = flags;
    for (int i = 0; i < fields; ++i)
      to->aColl[i] = (CollSeq *)unless_binary(from->aColl[i]);
  }
  return to;
}

/* An instruction of which variants know all; what others leave to the interpreter is left out. */
static void put_operand(Arena *arena, Op *to, const Op *from) {
  union p4union p4 = {0};
  switch (from->opcode) {
  case OP_Int64:
    p4.pI64 = put(arena, from->p4.pI64, sizeof(i64));
    break;
  case OP_Real:
    p4.pReal = put(arena, from->p4.pReal, sizeof(double));
    break;
  case OP_MakeRecord:
    if (!from->p4.z)
      break;
    /* fall through */
  case OP_Affinity:
    p4.z = put(arena, from->p4.z, strlen(from->p4.z) + 1);
    break;
  case OP_Permutation:
    p4.ai = put(arena, from->p4.ai, (from->p4.ai[0] + 1) * sizeof(u32));
    break;
  case OP_Compare:
    p4.pKeyInfo = put_key(arena, from->p4.pKeyInfo, from->p3);
    break;
  case OP_Eq:
  case OP_Ne:
  case OP_Lt:
  case OP_Le:
  case OP_Gt:
  case OP_Ge:
    p4.pColl = from->p4type == P4_COLLSEQ ? (CollSeq *)unless_binary(from->p4.pColl) : NULL;
    break;
  case OP_Column:
    if (from->p4type == P4_MEM)
      p4 = from->p4;
    break;
  case OP_String:
  case OP_AggStep1:
  case OP_AggFinal:
  case OP_AggValue:
  case OP_Function:
  case OP_PureFunc:
  case OP_DeferredSeek:
  case OP_IdxGE:
  case OP_IdxGT:
  case OP_IdxLE:
  case OP_IdxLT:
  case OP_IsTrue:
  case OP_IsType:
    p4 = from->p4;
    break;
  default:
    break;
  }
  if (!to)
    return;
  *to = *from;
  to->p4 = p4;
  if (from->opcode == OP_Init || from->opcode == OP_Once)
    to->p1 = 0; /* changes; is looked up */
}

/* Lists of places, one behind the other. */
typedef struct Places {
  int *places;
  int count;
  int room;
} Places;

static void add_place(Places *to, int place) {
  if (to->count == to->room) {
    to->room = to->room ? 2 * to->room : 64;
    to->places = realloc(to->places, (size_t)to->room * sizeof *to->places);
  }
  to->places[to->count++] = place;
}

/* Where a call may begin: at the first instruction, and behind each row. */
static void add_begins(Places *to, const Vdbe *p) {
  add_place(to, 0);
  for (int i = 0; i + 1 < p->nOp; ++i)
    if (p->aOp[i].opcode == OP_ResultRow)
      add_place(to, i + 1);
  add_place(to, -1);
}

/* Where control may go on behind an instruction that takes that from a register. */
static void add_returns(Places *to, const Vdbe *p, const Op *from) {
  for (int i = 0; i < p->nOp; ++i) {
    const Op *op = &p->aOp[i];
    if (from->opcode == OP_EndCoroutine) {
      if (op->opcode == OP_Yield && op->p1 == from->p1)
        add_place(to, op->p2);
    } else if ((op->opcode == OP_Gosub || op->opcode == OP_Yield) && op->p1 == from->p1)
      add_place(to, i + 1);
    else if (op->opcode == OP_InitCoroutine && op->p1 == from->p1)
      add_place(to, op->p3);
    else if (op->opcode == OP_Integer && op->p2 == from->p1 && op->p1 >= 0 && op->p1 < p->nOp)
      add_place(to, op->p1 + 1);
  }
  add_place(to, -1);
}

/* Of aggregates, those that variants do themselves, as long as nobody has put others in their
 * place.
 */
static unsigned char kind_of(const Op *op) {
  if (sqlite3OpcodeProperty[op->opcode] & OPFLG_JUMP)
    return SSARTOR_JUMPS;
  if (op->opcode != OP_AggStep1 || !(op->p4.pCtx->pFunc->funcFlags & SQLITE_FUNC_BUILTIN))
    return SSARTOR_OTHER;
  const char *name = op->p4.pCtx->pFunc->zName;
  if (!strcmp(name, "sum") || !strcmp(name, "total") || !strcmp(name, "avg"))
    return SSARTOR_SUM;
  return strcmp(name, "count") ? SSARTOR_OTHER : SSARTOR_COUNT;
}

/* What is done before a statement's loops begin is one call of the interpreter. */
static int goes_straight_on(const Op *op) {
  switch (op->opcode) {
  case OP_Init:
  case OP_Goto:
  case OP_Transaction:
  case OP_TableLock:
  case OP_Integer:
  case OP_Int64:
  case OP_Real:
  case OP_String:
  case OP_String8:
  case OP_Null:
  case OP_Blob:
  case OP_OpenRead:
  case OP_OpenWrite:
  case OP_OpenEphemeral:
  case OP_OpenAutoindex:
  case OP_OpenPseudo:
  case OP_SorterOpen:
  case OP_Noop:
  case OP_Explain:
    return 1;
  default:
    return 0;
  }
}

static void put_steps(Arena *arena, SsartorProgram *program, const Vdbe *p) {
  int *steps = put(arena, NULL, (size_t)p->nOp * sizeof(int));
  int *after = put(arena, NULL, (size_t)p->nOp * sizeof(int));
  if (!program)
    return;
  for (int i = 0; i < p->nOp; ++i) {
    int at = i;
    int count = 0;
    while (count < p->nOp && goes_straight_on(&p->aOp[at])) {
      const int jumps = p->aOp[at].opcode == OP_Init || p->aOp[at].opcode == OP_Goto;
      at = jumps ? p->aOp[at].p2 : at + 1;
      ++count;
    }
    const int may_jump = sqlite3OpcodeProperty[p->aOp[i].opcode] & OPFLG_JUMP;
    steps[i] = count > 0 ? count : 1;
    after[i] = count > 0 ? at : may_jump ? -1 : i + 1;
  }
  program->steps = steps;
  program->after = after;
}

static void put_program(Arena *arena, const Vdbe *p, const Places *places, const int *lists) {
  SsartorProgram *program = put(arena, NULL, sizeof *program);
  Op *ops = put(arena, NULL, (size_t)p->nOp * sizeof *ops);
  for (int i = 0; i < p->nOp; ++i)
    put_operand(arena, ops ? &ops[i] : NULL, &p->aOp[i]);
  const int *own_places = put(arena, places->places, (size_t)places->count * sizeof(int));
  unsigned char *kinds = put(arena, NULL, (size_t)p->nOp);
  for (int i = 0; kinds && i < p->nOp; ++i)
    kinds[i] = kind_of(&p->aOp[i]);
  put_steps(arena, program, p);
  const int *own_lists = put(arena, lists, (size_t)p->nOp * sizeof(int));
  if (program) {
    program->ops = ops;
    program->places = own_places;
    program->lists = own_lists;
    program->nowhere = places->count - 1;
    program->kinds = kinds;
  }
}

static int make_program(SsartorStatement *s, const Vdbe *p) {
  Places places = {0};
  int *lists = calloc((size_t)p->nOp, sizeof *lists);
  add_begins(&places, p);
  for (int i = 0; i < p->nOp; ++i) {
    const int opcode = p->aOp[i].opcode;
    if (opcode == OP_Return || opcode == OP_Yield || opcode == OP_EndCoroutine) {
      lists[i] = places.count;
      add_returns(&places, p, &p->aOp[i]);
    }
  }
  Arena arena = {0};
  put_program(&arena, p, &places, lists);
  s->program_size = arena.used;
  arena = (Arena){.memory = calloc(1, arena.used)};
  put_program(&arena, p, &places, lists);
  s->program = (SsartorProgram *)arena.memory;
  s->may_begin = calloc((size_t)p->nOp, 1);
  for (const int *place = places.places; *place >= 0; ++place)
    s->may_begin[*place] = 1;
  free(places.places);
  free(lists);
  return sartor_promise(s->program, s->program_size, &s->promise);
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

/* Triggers, and what changes the schema, run programs within the program, or other statements.
 * Comparisons of several values leave their outcome to the instruction behind. */
static int may_have_variant(const Vdbe *p) {
  if (p->nOp > MOST_INSTRUCTIONS)
    return 0;
  for (int i = 0; i < p->nOp; ++i)
    switch (p->aOp[i].opcode) {
    case OP_Program:
    case OP_Param:
    case OP_ParseSchema:
    case OP_SqlExec:
    case OP_Vacuum:
    case OP_ElseEq:
      return 0;
    default:
      break;
    }
  return 1;
}

static SsartorStatement *ask_for(const Vdbe *p) {
  SsartorStatement *s = calloc(1, sizeof *s);
  const int failed = make_program(s, p);
  const sartor_argument own[] = {{SARTOR_ARGUMENT_UNBOUND, {0}},
                                 {SARTOR_ARGUMENT_UNBOUND, {0}},
                                 {SARTOR_ARGUMENT_POINTER, {.pointer = s->program}}};
  s->run = run_native;
  if (is_native)
    s->state = READY;
  else
    s->state = failed || sartor_bind(runtime, "sqlite3SsartorRun", own, 3, &s->binding) ||
                       sartor_binding_function(s->binding, (void (**)(void))&s->run)
                   ? FAILED
                   : ASKED;
  if (waits && s->state == ASKED)
    wait_for(s);
  s->next = statements;
  statements = s;
  ++count;
  pthread_cond_signal(&asked);
  return s;
}

static void is_hot(Vdbe *p) {
  if (!may_have_variant(p)) {
    p->pSsartor = &left_alone;
    return;
  }
  pthread_mutex_lock(&lock);
  if (!has_thread && most_statements > 0) {
    if (waits) {
      pthread_mutex_unlock(&lock);
      open_runtime();
      pthread_mutex_lock(&lock);
    }
    start_thread();
  }
  if (count >= most_statements)
    p->pSsartor = &left_alone;
  else if (runtime)
    p->pSsartor = ask_for(p);
  pthread_mutex_unlock(&lock);
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
  if (!s && steps >= heat && steps / least >= p->aCounter[SQLITE_STMTSTATUS_RUN])
    is_hot(p);
  return rc;
}
