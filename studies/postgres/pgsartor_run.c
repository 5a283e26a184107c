/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** The interpreter of expressions as a handler: execExprInterp.c again, of which build.sh takes the
 * loop. Data that steers it is read from the shape, everything else from the steps. */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/tupmacs.h"
#include "catalog/pg_type.h"
#include "common/int.h"
#include "executor/execExpr.h"
#include "executor/executor.h"
#include "executor/nodeAgg.h"
#include "executor/nodeSubplan.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/expandeddatum.h"
#include "utils/float.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include <sartor/points.h>

#include "pgsartor_functions.h"
#include "pgsartor_shape.h"

SARTOR_HANDLER SARTOR_UNORDERED Datum pgsartor_run(ExprState *state, ExprContext *econtext,
                                                   bool *isnull, const PgsartorShape *shape);

/* slot_deform_heap_tuple() for a tuple of which nothing has been fetched. */
static pg_attribute_always_inline uint32 fetch_attributes(TupleTableSlot *slot, HeapTupleHeader tup,
                                                          int count, int has_nulls,
                                                          const PgsartorAttribute *attributes) {
  Datum *values = slot->tts_values;
  bool *isnull = slot->tts_isnull;
  char *data = (char *)tup + tup->t_hoff;
  uint32 offset = 0;
  for (int i = 0; i < count; ++i) {
    const PgsartorAttribute attribute = attributes[i];
    if (has_nulls && att_isnull(i, tup->t_bits)) {
      values[i] = (Datum)0;
      isnull[i] = true;
      continue;
    }
    isnull[i] = false;
    offset = attribute.length == -1
                 ? att_align_pointer(offset, attribute.alignment, -1, data + offset)
                 : att_align_nominal(offset, attribute.alignment);
    values[i] = fetch_att(data + offset, attribute.by_value, attribute.length);
    offset = att_addlength_pointer(offset, attribute.length, data + offset);
  }
  return offset;
}

static pg_attribute_always_inline void fetch_some(TupleTableSlot *slot, int count, int kind,
                                                  const PgsartorAttribute *attributes) {
  if (slot->tts_nvalid >= count)
    return;
  HeapTuple tuple = kind == PGSARTOR_HEAP_SLOT      ? ((HeapTupleTableSlot *)slot)->tuple
                    : kind == PGSARTOR_MINIMAL_SLOT ? ((MinimalTupleTableSlot *)slot)->tuple
                                                    : NULL;
  if (kind == PGSARTOR_ANY_SLOT || slot->tts_nvalid != 0 ||
      HeapTupleHeaderGetNatts(tuple->t_data) < count) {
    slot_getsomeattrs_int(slot, count);
    return;
  }
  const uint32 offset = HeapTupleHasNulls(tuple)
                            ? fetch_attributes(slot, tuple->t_data, count, 1, attributes)
                            : fetch_attributes(slot, tuple->t_data, count, 0, attributes);
  if (kind == PGSARTOR_HEAP_SLOT)
    ((HeapTupleTableSlot *)slot)->off = offset;
  else
    ((MinimalTupleTableSlot *)slot)->off = offset;
  slot->tts_nvalid = count;
  slot->tts_flags |= TTS_FLAG_SLOW;
}

/* The rest of a function after a case that is inlined, such as an overflow, is its own call. */
static pg_attribute_always_inline Datum call(int code, PGFunction function,
                                             FunctionCallInfo fcinfo) {
  NullableDatum *args = fcinfo->args;
#define COMPARE(name, left, right, operator)                                                       \
  case PGSARTOR_##name:                                                                            \
    return BoolGetDatum(left(args[0].value) operator right(args[1].value));
#define ARITHMETIC(name, type, overflows, left, right, result)                                     \
  case PGSARTOR_##name: {                                                                          \
    type value;                                                                                    \
    if (likely(!overflows(left(args[0].value), right(args[1].value), &value)))                     \
      return result(value);                                                                        \
    break;                                                                                         \
  }
#define FLOAT(name, inlined)                                                                       \
  case PGSARTOR_##name:                                                                            \
    return Float8GetDatum(inlined(DatumGetFloat8(args[0].value), DatumGetFloat8(args[1].value)));
#define FLOAT_COMPARE(name, inlined)                                                               \
  case PGSARTOR_##name:                                                                            \
    return BoolGetDatum(inlined(DatumGetFloat8(args[0].value), DatumGetFloat8(args[1].value)));
  switch (code) {
    PGSARTOR_FUNCTIONS(COMPARE, ARITHMETIC, FLOAT, FLOAT_COMPARE)
  case PGSARTOR_int8inc: {
    int64 value;
    if (likely(!pg_add_s64_overflow(DatumGetInt64(args[0].value), 1, &value)))
      return Int64GetDatum(value);
    break;
  }
  default:
    break;
  }
  return function(fcinfo);
}

static pg_attribute_always_inline FunctionCallInfo arguments_of(const ExprEvalStep *steps,
                                                                const PgsartorStep *known) {
  return known->result == PGSARTOR_FUNCTION_ARGUMENT
             ? steps[known->result_step].d.func.fcinfo_data
             : steps[known->result_step].d.agg_trans.pertrans->transfn_fcinfo;
}
static pg_attribute_always_inline Datum *value_of(ExprState *state, const ExprEvalStep *steps,
                                                  const ExprEvalStep *op,
                                                  const PgsartorStep *known) {
  if (known->result == PGSARTOR_ELSEWHERE)
    return op->resvalue;
  if (known->result == PGSARTOR_STATE)
    return &state->resvalue;
  return &arguments_of(steps, known)->args[known->argument].value;
}
static pg_attribute_always_inline bool *null_of(ExprState *state, const ExprEvalStep *steps,
                                                const ExprEvalStep *op, const PgsartorStep *known) {
  if (known->result == PGSARTOR_ELSEWHERE)
    return op->resnull;
  if (known->result == PGSARTOR_STATE)
    return &state->resnull;
  return &arguments_of(steps, known)->args[known->argument].isnull;
}

#define RESVALUE (*value_of(state, steps, op, known))
#define RESNULL (*null_of(state, steps, op, known))
#define EEO_SWITCH()                                                                               \
  starteval:                                                                                       \
  op = &steps[at];                                                                                 \
  known = &shape->steps[at];                                                                       \
  switch ((ExprEvalOp)known->opcode)
#define EEO_CASE(name) case name:
#define EEO_NEXT()                                                                                 \
  do {                                                                                             \
    ++at;                                                                                          \
    goto starteval;                                                                                \
  } while (0)
#define EEO_JUMP(step)                                                                             \
  do {                                                                                             \
    at = (step);                                                                                   \
    goto starteval;                                                                                \
  } while (0)

#include "pgsartor_transition.h"

Datum pgsartor_run(ExprState *state, ExprContext *econtext, bool *isnull,
                   const PgsartorShape *shape) {
  ExprEvalStep *const steps = state->steps;
  TupleTableSlot *const resultslot = state->resultslot;
  TupleTableSlot *const innerslot = econtext->ecxt_innertuple;
  TupleTableSlot *const outerslot = econtext->ecxt_outertuple;
  TupleTableSlot *const scanslot = econtext->ecxt_scantuple;
  ExprEvalStep *op;
  const PgsartorStep *known;
  int at = 0;

#include "pgsartor_loop.h"

out:
  *isnull = state->resnull;
  return state->resvalue;
}
