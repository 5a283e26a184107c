/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** The JIT provider: finds the shape of each expression, counts its evaluations, requests a variant
 * of the interpreter for it once it is hot, and measures which is faster. */
#include "pgsartor.h"

#include <math.h>
#include <time.h>

#include "common/hashfn.h"
#include "fmgr.h"
#include "jit/jit.h"
#include "utils/guc.h"
#include "utils/memutils.h"

#include "pgsartor_sets.h"

PG_MODULE_MAGIC;

enum mode { MODE_OFF, MODE_MEASURE, MODE_EAGER };
enum { OUT_OF_PROCESS, IN_PROCESS, NO_COMPILER };
enum { BATCH = 256, BUCKETS = 1024, PATIENCE = 64 };

/* Times of batches, as logarithms, so that a pause does not spoil the mean. */
typedef struct {
  double count, mean, squares;
} Times;

typedef struct Program {
  PgsartorShape shape;
  uint64 key;
  sartor_guest_program hot;
  PgsartorRow *row; /* may be null */
  Times times[2];   /* of the interpreter and of the variant */
  struct Program *next;
} Program;

/* An expression that is counted or measured. */
typedef struct {
  ExprStateEvalFunc interpreter;
  ExprStateEvalFunc current;
  Program *program;
  sartor_guest_run run;
  uint64 began;
  int left; /* evaluations until the batch ends */
} Frame;

/* Nanoseconds of processor time that a variant takes which is in the cache. */
static const double LOADING = 2e6;

/* Not a string: its text becomes part of Sartor's options, and any user may set it. */
static const struct config_enum_entry compilers[] = {{"out-of-process", OUT_OF_PROCESS, false},
                                                     {"in-process", IN_PROCESS, false},
                                                     {"none", NO_COMPILER, false},
                                                     {NULL, 0, false}};

static int mode = MODE_MEASURE;
static int compiler = OUT_OF_PROCESS;
static int heat = 2000000;
static Program *buckets[BUCKETS];
static Program *measured; /* One at a time: the batches of others would be part of its time. */
static int waited;        /* batches of others since one of `measured` */

/* Some backend may have measured the shape. The outcome in a backend that has not, because it has
 * no compiler for example, does not replace that verdict. */
static void report(void *owner, enum sartor_guest_state state, const char *text) {
  Program *program = owner;
  if (!program->row)
    return;
  double gain, low, high;
  const bool has_gain = state == SARTOR_GUEST_READY &&
                        !sartor_json_number(text, "/gain/ratio", &gain) &&
                        !sartor_json_number(text, "/gain/low", &low) &&
                        !sartor_json_number(text, "/gain/high", &high);
  const bool is_measured =
      has_gain || (state == SARTOR_GUEST_EXCLUDED && program->times[1].count > 0);
  if (program->row->gain > 0 && !is_measured)
    return;
  program->row->status = state == SARTOR_GUEST_READY      ? PGSARTOR_ACTIVE
                         : state == SARTOR_GUEST_EXCLUDED ? PGSARTOR_EXCLUDED
                                                          : PGSARTOR_COUNTED;
  if (has_gain) {
    program->row->gain = gain;
    program->row->low = low;
    program->row->high = high;
    program->row->saved = exp(program->times[0].mean) * (1 - 1 / gain) / BATCH;
  }
  strlcpy(program->row->why, state == SARTOR_GUEST_READY ? "" : text, sizeof program->row->why);
}

/* The gain of an active row was measured by some backend, and holds for all. */
static bool is_gain_known(const Program *program) {
  return program->row && program->row->status == PGSARTOR_ACTIVE && program->row->gain > 1;
}

/* So does that of a variant that was not worth it. */
static bool is_not_worth_it(const Program *program) {
  return program->row && program->row->status == PGSARTOR_EXCLUDED && program->row->gain > 0;
}

static void request(Program *program) {
  const PgsartorSets *sets = pgsartor_sets(compilers[compiler].name, mode == MODE_EAGER, report);
  if (!sets)
    return; /* asked for again later */
  if (sets->why_not) {
    report(program, SARTOR_GUEST_COUNTED, sets->why_not);
    return;
  }
  const sartor_argument arguments[] = {{SARTOR_ARGUMENT_UNBOUND, {0}},
                                       {SARTOR_ARGUMENT_UNBOUND, {0}},
                                       {SARTOR_ARGUMENT_UNBOUND, {0}},
                                       {SARTOR_ARGUMENT_POINTER, {.pointer = &program->shape}}};
  const sartor_part parts[] = {
      {&program->shape, sizeof program->shape, &program->shape, sizeof program->shape}};
  const sartor_guest_request wanted = {"pgsartor_run", arguments, 4, parts, 1, program};
  const bool is_trusted = mode == MODE_EAGER || is_gain_known(program);
  if (!is_trusted && is_not_worth_it(program)) { /* another backend has found that meanwhile */
    sartor_guest_exclude(sets->measuring, &program->hot, program->row->why, program);
    return;
  }
  if (program->row && !is_trusted)
    program->row->status = PGSARTOR_REQUESTED;
  sartor_guest_specialize(is_trusted ? sets->trusting : sets->measuring, &program->hot, &wanted);
}

static Program *find(const PgsartorShape *shape, int steps) {
  const uint64 key =
      hash_bytes_extended((const unsigned char *)shape, sizeof *shape, PG_VERSION_NUM) | 1;
  Program **bucket = &buckets[key / 2 % BUCKETS];
  Program *found = *bucket;
  while (found && (found->key != key || memcmp(&found->shape, shape, sizeof *shape)))
    found = found->next;
  if (found)
    return found;
  found = MemoryContextAllocZero(TopMemoryContext, sizeof *found);
  found->shape = *shape;
  found->key = key;
  found->row = pgsartor_row(key);
  if (found->row)
    found->row->steps = steps;
  found->next = *bucket;
  return *bucket = found;
}

/* Evaluations in this backend after which a variant is requested. Its cost is then as much as the
 * evaluations so far would have saved, so it is at most twice that of a perfect guess. */
static uintptr_t enough(const Program *program) {
  if (!is_gain_known(program) || program->row->saved <= 0)
    return (uintptr_t)heat;
  const double evaluations = LOADING / program->row->saved;
  return evaluations < heat ? (uintptr_t)evaluations : (uintptr_t)heat;
}

static uint64 now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64)time.tv_sec * 1000000000 + (uint64)time.tv_nsec;
}

static void add(Times *times, double value) {
  const double difference = value - times->mean;
  times->mean += difference / ++times->count;
  times->squares += difference * (value - times->mean);
}

/* Writes the gain with its interval of about 95 % to the table. */
static void show(Program *program) {
  const Times *slow = &program->times[0];
  const Times *fast = &program->times[1];
  PgsartorRow *row = program->row;
  if (!row || slow->count < 4 || fast->count < 4)
    return;
  const double gain = slow->mean - fast->mean;
  const double radius = 2 * sqrt(slow->squares / (slow->count - 1) / slow->count +
                                 fast->squares / (fast->count - 1) / fast->count);
  row->gain = exp(gain);
  row->low = exp(gain - radius);
  row->high = exp(gain + radius);
  row->saved = (exp(slow->mean) - exp(fast->mean)) / BATCH;
  row->pairs = (uint64)fast->count;
  if (row->status == PGSARTOR_REQUESTED)
    row->status = PGSARTOR_MEASURED;
}

static void end_batch(Frame *frame) {
  Program *program = frame->program;
  if (program->row)
    program->row->evaluations += BATCH;
  if (!frame->run.number)
    return;
  add(&program->times[frame->current != frame->interpreter], log((double)(now() - frame->began)));
  show(program);
  sartor_guest_run_end(&frame->run, BATCH); /* may call report() */
}

/* Begins a batch of a program that is measured, unless another one is. */
static void begin_measured(Frame *frame) {
  if (measured && measured != frame->program &&
      sartor_guest_state_of(&measured->hot) == SARTOR_GUEST_MEASURED && ++waited < PATIENCE)
    return;
  measured = frame->program;
  waited = 0;
  ExprStateEvalFunc variant =
      (ExprStateEvalFunc)sartor_guest_run_begin(&frame->program->hot, &frame->run);
  if (variant)
    frame->current = variant;
  frame->began = now();
}

static void next_batch(ExprState *state, Frame *frame) {
  Program *program = frame->program;
  frame->left = BATCH;
  frame->current = frame->interpreter;
  frame->run.number = 0;
  switch (sartor_guest_state_of(&program->hot)) {
  case SARTOR_GUEST_COUNTED:
    if (sartor_guest_count(&program->hot, BATCH, enough(program)))
      request(program);
    break;
  case SARTOR_GUEST_REQUESTED:
  case SARTOR_GUEST_MEASURED:
    begin_measured(frame);
    break;
  case SARTOR_GUEST_READY:
    state->evalfunc = (ExprStateEvalFunc)sartor_guest_function(&program->hot);
    frame->current = state->evalfunc;
    break;
  case SARTOR_GUEST_EXCLUDED:
    state->evalfunc = frame->interpreter;
    break;
  }
}

static Datum evaluate_counted(ExprState *state, ExprContext *econtext, bool *isnull) {
  Frame *frame = state->evalfunc_private;
  if (--frame->left <= 0) {
    end_batch(frame);
    next_batch(state, frame);
  }
  return frame->current(state, econtext, isnull);
}

static Datum evaluate_first(ExprState *state, ExprContext *econtext, bool *isnull) {
  CheckExprStillValid(state, econtext);
  state->evalfunc = evaluate_counted;
  return evaluate_counted(state, econtext, isnull);
}

/* All expressions that have no shape for the same reason share a row. */
static void note_refused(const char *why) {
  PgsartorRow *row =
      pgsartor_row(hash_bytes_extended((const unsigned char *)why, strlen(why), 2) | 1);
  if (!row)
    return;
  row->status = PGSARTOR_EXCLUDED;
  strlcpy(row->why, why, sizeof row->why);
}

static bool compile_expression(ExprState *state) {
  PgsartorShape shape;
  if (mode == MODE_OFF)
    return false;
  const char *why = pgsartor_describe(state, &shape);
  if (why) {
    note_refused(why);
    return false;
  }
  Program *program = find(&shape, state->steps_len);
  ExecReadyInterpretedExpr(state);
  if (mode == MODE_EAGER && sartor_guest_state_of(&program->hot) == SARTOR_GUEST_COUNTED)
    request(program);
  ExprStateEvalFunc variant = (ExprStateEvalFunc)sartor_guest_function(&program->hot);
  if (variant) {
    state->evalfunc_private = (void *)variant; /* reached through ExecInterpExprStillValid() */
    return true;
  }
  if (mode == MODE_EAGER || sartor_guest_state_of(&program->hot) == SARTOR_GUEST_EXCLUDED ||
      is_not_worth_it(program))
    return true;
  Frame *frame = palloc0(sizeof *frame);
  frame->interpreter = (ExprStateEvalFunc)state->evalfunc_private;
  frame->current = frame->interpreter;
  frame->program = program;
  frame->left = BATCH;
  state->evalfunc_private = frame;
  state->evalfunc = evaluate_first;
  return true;
}

static void reset_after_error(void) {}
static void release_context(JitContext *context) {}

void _PG_jit_provider_init(JitProviderCallbacks *callbacks) {
  callbacks->reset_after_error = reset_after_error;
  callbacks->release_context = release_context;
  callbacks->compile_expr = compile_expression;
}

void _PG_init(void);
void _PG_init(void) {
  static const struct config_enum_entry modes[] = {{"off", MODE_OFF, false},
                                                   {"measure", MODE_MEASURE, false},
                                                   {"eager", MODE_EAGER, false},
                                                   {NULL, 0, false}};
  DefineCustomEnumVariable("sartor_jit.mode",
                           "off; measure: variants that are measured to be faster; eager: all",
                           NULL, &mode, MODE_MEASURE, modes, PGC_BACKEND, 0, NULL, NULL, NULL);
  DefineCustomIntVariable("sartor_jit.heat",
                          "Evaluations in one backend after which a variant is requested", NULL,
                          &heat, 2000000, 1, INT_MAX, PGC_SUSET, 0, NULL, NULL, NULL);
  DefineCustomEnumVariable("sartor_jit.compiler", "Where variants are compiled", NULL, &compiler,
                           OUT_OF_PROCESS, compilers, PGC_BACKEND, 0, NULL, NULL, NULL);
}
