/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** Counts calls to find hot functions, requests their variants, and installs them, on the thread
 * that runs Lua. The variable LUA_SARTOR is `off` or options: `heat=N` calls, returns and
 * backward jumps until a function is hot, `functions=N` at most, `wait` for each variant,
 * `native` to run the handler's native code instead, which is slow but distinguishes bugs of the
 * handler from those of variants. */
#define LUA_CORE
#define _GNU_SOURCE

#include "lsartor.h"

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sartor/c/guest_programs.h>

#include "ldebug.h"
#include "ldo.h"
#include "lfunc.h"
#include "lgc.h"
#include "lopcodes.h"
#include "lsartor_program.h"
#include "lstring.h"
#include "ltable.h"
#include "ltm.h"
#include "lvm.h"

_Static_assert(offsetof(Proto, k) == 56 && sizeof(lua_State) == 200,
               "the counts have room where there is nothing otherwise");

enum {
  MOST_FUNCTIONS = 4096,
  MOST_LOOPS = 4,   /* loops at which a function's variant may be entered */
  MOST_CHANGES = 8, /* changes of those loops and of their types */
  LEFT = 50,        /* exits because of arithmetic, before variants handle it in place */
  MISSES = 3,       /* before the variant is changed */
  NEVER = INT_MAX,
  TICKS = 8,                  /* minimum count until a function is hot */
  LOOK_AGAIN = 4,             /* ticks between checks whether the variant is ready */
  NESTING = 150,              /* nested variants in one call from C */
  BYTES_OF_NESTING = 1 << 10, /* maximum C stack used by one nested variant */
  BYTES_LEFT = 1 << 20        /* C stack bytes reserved for other code */
};

typedef CallInfo *(*Run)(lua_State *, CallInfo *, int);
typedef struct Function {
  lsartor_Program program;
  lsartor_Entry entries[1 + MOST_LOOPS]; /* storage that `program` refers to */
  const Proto *proto;
  const global_State *owner; /* whose collector frees `proto` */
  Run run;                   /* null until the variant is ready */
  unsigned char *entry_at;   /* for each instruction, its entry's number from 1, or 0 */
  int left;                  /* Number of exits because of arithmetic. */
  int misses;                /* Number of times no variant could be entered at a loop. */
  int changes;               /* Number of recompilations because of such a loop. */
  sartor_guest_program hot;
  int place;
  char name[64]; /* source location */
  struct Function *next;
} Function;

int lsartor_heat = NEVER;
int lsartor_ticks = NEVER;

static int heat = 2000;
static int most_functions = 1000;
static int waits;
static int reports;
static int is_native;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int has_begun;
static sartor_guest_programs *programs;  /* null: no compiler, or not needed */
static int count;                        /* number of functions with an index */
static Function *active[MOST_FUNCTIONS]; /* by index, set when their variants are requested */
static Function *functions;              /* all functions whose prototypes exist */

static int is_off(const char *text) {
  return text && (!strcmp(text, "off") || !strcmp(text, "0") || !strcmp(text, "no") ||
                  !strcmp(text, "false"));
}

__attribute__((constructor)) static void read_environment(void) {
  const char *reported = getenv("LUA_SARTOR");
  if (is_off(getenv("SARTOR")) || is_off(reported))
    return;
  for (const char *word = reported; word && *word;
       word += strcspn(word, ","), word += *word == ',') {
    if (sscanf(word, "heat=%d", &heat) == 1 || sscanf(word, "functions=%d", &most_functions) == 1)
      continue;
    if (!strncmp(word, "wait", 4))
      waits = 1;
    else if (!strncmp(word, "report", 6))
      reports = 1;
    else if (!strncmp(word, "native", 6))
      is_native = waits = 1;
    else
      fprintf(stderr,
              "lua: LUA_SARTOR: \"%s\" means nothing: write off, heat=N, functions=N, wait, "
              "report\n",
              word);
  }
  if (most_functions > MOST_FUNCTIONS)
    most_functions = MOST_FUNCTIONS;
  if (heat < 1)
    heat = 1;
  lsartor_heat = heat;
  lsartor_ticks = heat < TICKS ? 1 : heat / TICKS;
}

/* Data for variants */

/* Adds a loop: its first instruction and how many registers have known types there. */
static void add_entry(Function *f, int pc, const int *tags) {
  f->entry_at[pc] = (unsigned char)(1 + f->program.entries_count);
  lsartor_Entry *entry = &f->entries[f->program.entries_count++];
  entry->pc = pc;
  memcpy(entry->tags, tags, sizeof entry->tags);
}

/* Finds the current type tags of the variables that are live at the beginning of a loop. */
static void find_tags(const CallInfo *ci, const Proto *p, int pc, int *tags) {
  for (int n = 0; n < MOST_TAGS; ++n) {
    tags[n] = -1;
    if (n < p->maxstacksize && luaF_getlocalname(p, n + 1, pc))
      tags[n] = rawtt(s2v(ci->func + 1 + n));
  }
}
static int has_tags(const CallInfo *ci, const int *tags) {
  for (int n = 0; n < MOST_TAGS; ++n)
    if (tags[n] >= 0 && tags[n] != rawtt(s2v(ci->func + 1 + n)))
      return 0;
  return 1;
}

static void find_captured(lsartor_Program *program, const Proto *p) {
  int first = 256;
  int last = -1;
  for (int n = 0; n < p->sizep; ++n)
    for (int u = 0; u < p->p[n]->sizeupvalues; ++u)
      if (p->p[n]->upvalues[u].instack) {
        const int place = p->p[n]->upvalues[u].idx;
        first = place < first ? place : first;
        last = place > last ? place : last;
      }
  program->captured = last < 0 ? 0 : first;
  program->captured_count = last < 0 ? 0 : last - first + 1;
}

static void add_part(sartor_guest_request *to, const void *object, size_t size, const void *part,
                     size_t part_size) {
  if (part_size > 0)
    ((sartor_part *)to->parts)[to->parts_count++] = (sartor_part){object, size, part, part_size};
}
static void add_all(sartor_guest_request *to, const void *memory, size_t size) {
  add_part(to, memory, size, memory, size);
}

static void ask(Function *f, const Proto *p) {
  const sartor_argument own[] = {
      {SARTOR_ARGUMENT_UNBOUND, {0}},
      {SARTOR_ARGUMENT_UNBOUND, {0}},
      {SARTOR_ARGUMENT_UNBOUND, {0}},
      {SARTOR_ARGUMENT_POINTER, {.pointer = &f->program}},
  };
  sartor_part *parts = calloc(4 + 2 * (size_t)p->sizek, sizeof *parts);
  sartor_guest_request request = {"lsartor_run", own, 4, parts, 0, f};
  add_all(&request, &f->program, sizeof f->program);
  add_all(&request, p->code, (size_t)p->sizecode * sizeof *p->code);
  add_all(&request, f->entries, (size_t)f->program.entries_count * sizeof *f->entries);
  add_all(&request, p->k, (size_t)p->sizek * sizeof *p->k);
  for (int n = 0; n < p->sizek; ++n)
    if (ttisstring(&p->k[n])) {
      const TString *s = tsvalue(&p->k[n]);
      add_part(&request, s, sizeof *s, &s->tt, sizeof s->tt);
      add_part(&request, s, sizeof *s, &s->hash, sizeof s->hash);
    }
  sartor_guest_specialize(programs, &f->hot, &request);
  free(parts);
}

static int find_place(void) {
  int place = 0;
  while (active[place])
    ++place;
  return place;
}

/* Called when no variant depends on the function any more. */
static void destroy(void *function) {
  Function *f = function;
  pthread_mutex_lock(&lock);
  active[f->place] = NULL;
  --count;
  pthread_mutex_unlock(&lock);
  free(f->entry_at);
  free(f);
}

/* The runtime */

static void report(void *function, enum sartor_guest_state state, const char *text) {
  const Function *f = function;
  if (reports && state == SARTOR_GUEST_READY)
    fprintf(stderr, "lua: %s: has a variant\n", f->name);
  else if (reports)
    fprintf(stderr, "lua: %s: stays interpreted: %s\n", f->name, text);
}

static const char *name_of(void *function) { return ((const Function *)function)->name; }

static void before_fork(void) { pthread_mutex_lock(&lock); }
static void after_fork(void) { pthread_mutex_unlock(&lock); }

static void begin_with_first(void) {
  /* A partly compiled function leaves its variant at the first instruction that is not compiled. */
  const sartor_guest_limits limits = {
      .most = MOST_FUNCTIONS, .waits = waits, .in_part = 1, .report = report};
  sartor_runtime *opened;
  has_begun = 1;
  if (is_native)
    return;
  if (sartor_open_with("{\"quick_tier\": false, \"compile_timeout\": 300}", &opened) ||
      sartor_guest_programs_open(opened, &limits, &programs) ||
      sartor_guest_programs_name_functions(programs, name_of)) {
    fprintf(stderr, "lua: no function is specialized: %s\n", sartor_last_error());
    most_functions = 0;
  } else
    sartor_limit_bindings(opened, "lsartor_run", INT_MAX, NULL, 0); /* `functions` is the limit */
  pthread_atfork(before_fork, after_fork, after_fork); /* after Sartor's, which it uses */
}

/* Hot functions */

static CallInfo *run_native(lua_State *L, CallInfo *ci, int nesting) {
  return lsartor_run(L, ci, nesting, &active[~ci_func(ci)->p->heat]->program);
}

static Function *find_function(const Proto *p) {
  Function *f = functions;
  while (f && f->proto != p)
    f = f->next;
  return f;
}

/* Requests a variant with the entries of an older one, if there is one, and for the loop that
 * `loop` has just begun, if it is given. */
static Function *ask_for(const lua_State *L, const Proto *p, const Function *older,
                         const CallInfo *loop, int leaves_arithmetic) {
  static const int any[MOST_TAGS] = {[0 ... MOST_TAGS - 1] = -1};
  Function *f = calloc(1, sizeof *f);
  f->program.code = p->code;
  f->program.k = p->k;
  f->program.registers = p->maxstacksize;
  f->program.entries = f->entries;
  f->program.leaves_arithmetic = leaves_arithmetic;
  f->entry_at = calloc((size_t)p->sizecode, 1);
  add_entry(f, 0, any);
  for (int n = 1; older && n < older->program.entries_count; ++n)
    add_entry(f, older->entries[n].pc, older->entries[n].tags);
  f->changes = older ? older->changes + 1 : 0;
  if (loop) {
    const int pc = (int)(loop->u.l.savedpc - p->code);
    int tags[MOST_TAGS];
    find_tags(loop, p, pc, tags);
    if (!f->entry_at[pc])
      add_entry(f, pc, tags);
    else /* as before, except for registers whose types have changed */
      for (int n = 0; n < MOST_TAGS; ++n)
        if (f->entries[f->entry_at[pc] - 1].tags[n] != tags[n])
          f->entries[f->entry_at[pc] - 1].tags[n] = -1;
  }
  find_captured(&f->program, p);
  f->proto = p;
  f->owner = G(L);
  snprintf(f->name, sizeof f->name, "%s:%d", p->source ? getstr(p->source) : "?", p->linedefined);
  f->place = find_place();
  active[f->place] = f;
  ++count;
  if (is_native)
    f->run = run_native;
  else
    ask(f, p);
  f->next = functions;
  functions = f;
  return f;
}

static int is_ready(Function *f) {
  if (!f->run)
    f->run = (Run)sartor_guest_function(&f->hot);
  return f->run != NULL;
}
static int is_left_alone(const Function *f) {
  return sartor_guest_state_of(&f->hot) == SARTOR_GUEST_EXCLUDED;
}

static void is_hot(const lua_State *L, Proto *p, const CallInfo *loop) {
  if (lsartor_heat == NEVER) { /* disabled for any number of calls */
    p->heat = NEVER;
    return;
  }
  pthread_mutex_lock(&lock);
  if (!has_begun)
    begin_with_first();
  Function *f = find_function(p);
  if (!f && count < most_functions)
    f = ask_for(L, p, NULL, loop, 1);
  if (!f)
    p->heat = most_functions > 0 ? LOOK_AGAIN * lsartor_ticks : NEVER;
  else if (is_ready(f))
    p->heat = ~f->place;
  else
    p->heat = is_left_alone(f) ? NEVER : LOOK_AGAIN * lsartor_ticks;
  pthread_mutex_unlock(&lock);
}

/* Replaces the function's variant by one that is requested now. */
static void change(const lua_State *L, Proto *p, const CallInfo *loop, int leaves_arithmetic) {
  Function *now = active[~p->heat];
  pthread_mutex_lock(&lock);
  Function *newest = find_function(p);
  if (newest == now && count < most_functions)
    newest = ask_for(L, p, now, loop, leaves_arithmetic);
  if (newest == now || is_left_alone(newest))
    now->changes = MOST_CHANGES;
  else if (is_ready(newest))
    p->heat = ~newest->place; /* the older one depends on the same memory and is kept as long */
  pthread_mutex_unlock(&lock);
}

/* Handles a loop of a function with a variant that cannot be entered at that loop with the
 * current types. */
static void miss(const lua_State *L, Proto *p, const CallInfo *loop) {
  Function *now = active[~p->heat];
  const int is_there = now->entry_at[loop->u.l.savedpc - p->code];
  if (now->changes >= MOST_CHANGES || (!is_there && now->program.entries_count > MOST_LOOPS) ||
      ++now->misses < (waits ? 1 : MISSES))
    return;
  now->misses = 0;
  change(L, p, loop, now->program.leaves_arithmetic);
}

/* Handles an exit from a variant. After many exits because of arithmetic on non-numbers, the
 * next variant handles it without leaving. */
static void is_left(const lua_State *L, const CallInfo *ci) {
  Proto *p = ci_func(ci)->p;
  const OpCode op = GET_OPCODE(*ci->u.l.savedpc);
  if (p->heat >= 0 || op < OP_MMBIN || op > OP_MMBINK)
    return;
  Function *now = active[~p->heat];
  if (now->program.leaves_arithmetic && ++now->left % LEFT == 0)
    change(L, p, NULL, 0);
}

void lsartor_collect(const global_State *g, int is_closed) {
  Function *freed = NULL;
  if (!functions)
    return;
  pthread_mutex_lock(&lock);
  for (Function **f = &functions; *f;)
    if ((*f)->owner == g && (is_closed || isdead(g, (*f)->proto))) {
      Function *found = *f;
      *f = found->next;
      found->next = freed;
      freed = found;
    } else
      f = &(*f)->next;
  pthread_mutex_unlock(&lock);
  while (freed) {
    Function *next = freed->next;
    sartor_guest_release(&freed->hot, destroy, freed);
    freed = next;
  }
}

/* Running variants */

/* The allowed nesting depth of variants called from here. On a stack that is not the thread's
 * own, such as a fiber's, the remaining bytes are unknown, and variants do not nest. */
static int nesting_here(void) {
  static __thread char *low, *high;
  if (!high) {
    pthread_attr_t attributes;
    size_t size = 0;
    void *start = NULL;
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
      pthread_attr_getstack(&attributes, &start, &size);
      pthread_attr_destroy(&attributes);
    }
    low = start;
    high = start ? low + size : (char *)1;
  }
  char *here = __builtin_frame_address(0);
  if (here < low || here >= high)
    return 0;
  const ptrdiff_t left = here - low;
  if (left < BYTES_LEFT)
    return 0;
  const ptrdiff_t nesting = (left - BYTES_LEFT) / BYTES_OF_NESTING;
  return nesting < NESTING ? (int)nesting : NESTING;
}

/* Returns the function that runs the frame if its variant can be entered there. */
static inline Run find_run(const lua_State *L, CallInfo *ci, const Proto *p) {
  if (p->heat >= 0 || L->hookmask)
    return NULL;
  const Function *f = active[~p->heat];
  const int entry = f->entry_at[ci->u.l.savedpc - p->code];
  if (entry == 0 || (entry > 1 && !has_tags(ci, f->entries[entry - 1].tags)))
    return NULL;
  ci->u.l.trap = 0; /* registers are read on entry */
  return f->run;
}

static inline sartor_guest_position place_of(const CallInfo *ci) {
  return (sartor_guest_position){ci, ci->u.l.savedpc};
}

CallInfo *lsartor_enter(lua_State *L, CallInfo *frame) {
  L->ticks = lsartor_ticks;
  for (;;) {
    CallInfo *ci = lsartor_frame(frame);
    Proto *p = ci_func(ci)->p;
    if (p->heat > 1)
      p->heat = p->heat > lsartor_ticks ? p->heat - lsartor_ticks : 1;
    else if (p->heat >= 0)
      is_hot(L, p, lsartor_isfresh(frame) ? NULL : ci);
    Run run = find_run(L, ci, p);
    if (!run && p->heat < 0 && !lsartor_isfresh(frame) && !L->hookmask) {
      miss(L, p, ci);
      run = find_run(L, ci, p);
    }
    if (!run)
      return frame;
    const sartor_guest_position entered = place_of(ci);
    frame = run(L, ci, nesting_here());
    if (!frame)
      return NULL;
    if (!lsartor_isfresh(frame))
      is_left(L, frame);
    if (!sartor_guest_made_progress(entered, place_of(lsartor_frame(frame))))
      return frame;
  }
}

/* Runs variants until control returns to `caller`. Returns the frame to continue with, also if
 * no variant can run it or a variant makes no progress. */
static CallInfo *run_nested(lua_State *L, CallInfo *frame, CallInfo *caller, int nesting) {
  while (frame != caller) {
    CallInfo *ci = lsartor_frame(frame);
    const Run run = nesting > 0 ? find_run(L, ci, ci_func(ci)->p) : NULL;
    if (!run)
      break;
    const sartor_guest_position entered = place_of(ci);
    frame = run(L, ci, nesting - 1);
    if (!frame || !sartor_guest_made_progress(entered, place_of(lsartor_frame(frame))))
      break;
  }
  return frame;
}

/* Does the work of luaD_precall() for functions with variants. */
static inline CallInfo *begin(lua_State *L, StkId func, int nresults, const Proto *p) {
  CallInfo *ci = L->ci = L->ci->next;
  ci->func = func;
  ci->nresults = (short)nresults;
  ci->callstatus = 0;
  ci->top = func + 1 + p->maxstacksize;
  ci->u.l.savedpc = p->code;
  ci->u.l.trap = 0;
  for (StkId end = func + 1 + p->numparams; L->top < end; ++L->top)
    setnilvalue(s2v(L->top));
  return ci;
}

CallInfo *lsartor_call(lua_State *L, StkId func, int nresults, CallInfo *caller, int nesting) {
  CallInfo *frame;
  if (l_likely(ttisLclosure(s2v(func)) && nesting > 0)) {
    const Proto *p = clLvalue(s2v(func))->p;
    if (l_likely(p->heat < 0 && L->ci->next && !L->hookmask &&
                 L->stack_last - L->top > p->maxstacksize)) {
      CallInfo *ci = begin(L, func, nresults, p);
      frame = active[~p->heat]->run(L, ci, nesting - 1);
      return l_likely(frame == caller) ? frame : run_nested(L, frame, caller, nesting);
    }
  }
  frame = luaD_precall(L, func, nresults);
  if (!frame)
    return caller;
  if (nesting == 0)
    return lsartor_fresh(frame);
  frame->callstatus = CIST_FRESH;
  luaV_execute(L, frame);
  return caller;
}

static inline const TValue *find(Table *t, const TString *key) {
  for (Node *n = gnode(t, lmod(key->hash, sizenode(t)));; n += gnext(n)) {
    if (keyisshrstr(n) && eqshrstr(keystrval(n), key))
      return gval(n);
    if (gnext(n) == 0)
      return NULL;
  }
}

static inline const TValue *find_index(const lua_State *L, Table *class) {
  if (!class || class->flags & (1U << TM_INDEX)) /* the metatable is known to lack it */
    return NULL;
  const TValue *found = find(class, G(L)->tmname[TM_INDEX]);
  if (found && !isempty(found))
    return found;
  class->flags |= (lu_byte)(1U << TM_INDEX);
  return NULL;
}

const TValue *lsartor_inherited(lua_State *L, Table *t, const TString *key) {
  if (l_unlikely(key->tt != LUA_VSHRSTR))
    return NULL;
  for (int level = 0; level < 100; ++level) { /* the limit protects from cycles */
    const TValue *index = find_index(L, t->metatable);
    if (!index)
      return &G(L)->nilvalue;
    if (!ttistable(index))
      return NULL;
    t = hvalue(index);
    const TValue *found = find(t, key);
    if (found && !isempty(found))
      return found;
  }
  return NULL;
}
