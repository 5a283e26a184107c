/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** Describes an expression: its steps without addresses. */
#include "pgsartor.h"

#include "access/tupdesc.h"
#include "executor/nodeAgg.h"
#include "executor/tuptable.h"
#include "utils/fmgrprotos.h"

#include "pgsartor_functions.h"

typedef struct {
  PGFunction function;
  uint8 code;
} Inlined;

#define INLINED(name, ...) {name, PGSARTOR_##name},
static Inlined inlined[] = {
    PGSARTOR_FUNCTIONS(INLINED, INLINED, INLINED, INLINED){int8inc, PGSARTOR_int8inc}};

static int by_address(const void *one, const void *other) {
  const uintptr_t a = (uintptr_t)((const Inlined *)one)->function;
  const uintptr_t b = (uintptr_t)((const Inlined *)other)->function;
  return (a > b) - (a < b);
}

static uint8 code_of(PGFunction function) {
  static bool is_sorted;
  if (!is_sorted)
    qsort(inlined, lengthof(inlined), sizeof *inlined, by_address);
  is_sorted = true;
  const Inlined wanted = {function, 0};
  const Inlined *found = bsearch(&wanted, inlined, lengthof(inlined), sizeof *inlined, by_address);
  return found ? found->code : PGSARTOR_CALLED;
}

static enum pgsartor_slot kind_of(const ExprEvalStep *op) {
  if (!op->d.fetch.fixed || !op->d.fetch.known_desc || op->d.fetch.last_var > PGSARTOR_ATTRIBUTES ||
      op->d.fetch.last_var > op->d.fetch.known_desc->natts)
    return PGSARTOR_ANY_SLOT;
  if (op->d.fetch.kind == &TTSOpsHeapTuple || op->d.fetch.kind == &TTSOpsBufferHeapTuple)
    return PGSARTOR_HEAP_SLOT;
  return op->d.fetch.kind == &TTSOpsMinimalTuple ? PGSARTOR_MINIMAL_SLOT : PGSARTOR_ANY_SLOT;
}

static void describe_fetch(const ExprEvalStep *op, PgsartorStep *step,
                           PgsartorAttribute *attributes) {
  step->jump_or_number = op->d.fetch.last_var;
  step->second = kind_of(op);
  for (int i = 0; step->second != PGSARTOR_ANY_SLOT && i < op->d.fetch.last_var; ++i) {
    Form_pg_attribute from = TupleDescAttr(op->d.fetch.known_desc, i);
    attributes[i] = (PgsartorAttribute){from->attlen, from->attalign, from->attbyval};
  }
}

/* The arguments of the function that a step calls; null: none that are known. */
static FunctionCallInfo called_by(const ExprEvalStep *op, uint8 *result) {
  switch ((ExprEvalOp)op->opcode) {
  case EEOP_FUNCEXPR:
  case EEOP_FUNCEXPR_STRICT:
  case EEOP_FUNCEXPR_FUSAGE:
  case EEOP_FUNCEXPR_STRICT_FUSAGE:
  case EEOP_DISTINCT:
  case EEOP_NOT_DISTINCT:
  case EEOP_NULLIF:
    *result = PGSARTOR_FUNCTION_ARGUMENT;
    return op->d.func.fcinfo_data;
  case EEOP_AGG_PLAIN_TRANS_INIT_STRICT_BYVAL:
  case EEOP_AGG_PLAIN_TRANS_STRICT_BYVAL:
  case EEOP_AGG_PLAIN_TRANS_BYVAL:
  case EEOP_AGG_PLAIN_TRANS_INIT_STRICT_BYREF:
  case EEOP_AGG_PLAIN_TRANS_STRICT_BYREF:
  case EEOP_AGG_PLAIN_TRANS_BYREF:
    *result = PGSARTOR_TRANSITION_ARGUMENT;
    return op->d.agg_trans.pertrans->transfn_fcinfo;
  default:
    return NULL;
  }
}

static void describe_result(const ExprState *state, int at, PgsartorStep *step) {
  const ExprEvalStep *op = &state->steps[at];
  if (op->resvalue == &state->resvalue && op->resnull == &state->resnull) {
    step->result = PGSARTOR_STATE;
    return;
  }
  for (int later = at; op->resvalue && later < state->steps_len; ++later) {
    uint8 result;
    FunctionCallInfo fcinfo = called_by(&state->steps[later], &result);
    for (int i = 0; fcinfo && i < fcinfo->nargs; ++i)
      if (op->resvalue == &fcinfo->args[i].value && op->resnull == &fcinfo->args[i].isnull) {
        step->result = result;
        step->argument = (uint8)i;
        step->result_step = (int16)later;
        return;
      }
  }
}

static void describe_operands(const ExprEvalStep *op, PgsartorStep *step, PgsartorShape *shape) {
  switch ((ExprEvalOp)op->opcode) {
  case EEOP_INNER_FETCHSOME:
    describe_fetch(op, step, shape->attributes[0]);
    break;
  case EEOP_OUTER_FETCHSOME:
    describe_fetch(op, step, shape->attributes[1]);
    break;
  case EEOP_SCAN_FETCHSOME:
    describe_fetch(op, step, shape->attributes[2]);
    break;
  case EEOP_INNER_VAR:
  case EEOP_OUTER_VAR:
  case EEOP_SCAN_VAR:
    step->jump_or_number = op->d.var.attnum;
    break;
  case EEOP_ASSIGN_INNER_VAR:
  case EEOP_ASSIGN_OUTER_VAR:
  case EEOP_ASSIGN_SCAN_VAR:
    step->jump_or_number = op->d.assign_var.attnum;
    step->second = op->d.assign_var.resultnum;
    break;
  case EEOP_ASSIGN_TMP:
  case EEOP_ASSIGN_TMP_MAKE_RO:
    step->second = op->d.assign_tmp.resultnum;
    break;
  case EEOP_CONST:
    step->jump_or_number = op->d.constval.isnull;
    break;
  case EEOP_FUNCEXPR:
  case EEOP_FUNCEXPR_STRICT:
  case EEOP_DISTINCT:
  case EEOP_NOT_DISTINCT:
  case EEOP_NULLIF:
    step->jump_or_number = op->d.func.nargs;
    step->function = code_of(op->d.func.fn_addr);
    break;
  case EEOP_BOOL_AND_STEP_FIRST:
  case EEOP_BOOL_AND_STEP:
  case EEOP_BOOL_AND_STEP_LAST:
  case EEOP_BOOL_OR_STEP_FIRST:
  case EEOP_BOOL_OR_STEP:
  case EEOP_BOOL_OR_STEP_LAST:
    step->jump_or_number = op->d.boolexpr.jumpdone;
    break;
  case EEOP_QUAL:
    step->jump_or_number = op->d.qualexpr.jumpdone;
    break;
  case EEOP_JUMP:
  case EEOP_JUMP_IF_NULL:
  case EEOP_JUMP_IF_NOT_NULL:
  case EEOP_JUMP_IF_NOT_TRUE:
    step->jump_or_number = op->d.jump.jumpdone;
    break;
  case EEOP_SBSREF_SUBSCRIPTS:
    step->jump_or_number = op->d.sbsref_subscript.jumpdone;
    break;
  case EEOP_ROWCOMPARE_STEP:
    step->jump_or_number = op->d.rowcompare_step.jumpnull;
    step->second = op->d.rowcompare_step.jumpdone;
    break;
  case EEOP_AGG_STRICT_DESERIALIZE:
  case EEOP_AGG_DESERIALIZE:
    step->jump_or_number = op->d.agg_deserialize.jumpnull;
    break;
  case EEOP_AGG_STRICT_INPUT_CHECK_ARGS:
  case EEOP_AGG_STRICT_INPUT_CHECK_NULLS:
    step->jump_or_number = op->d.agg_strict_input_check.jumpnull;
    step->second = op->d.agg_strict_input_check.nargs;
    break;
  case EEOP_AGG_PLAIN_PERGROUP_NULLCHECK:
    step->jump_or_number = op->d.agg_plain_pergroup_nullcheck.jumpnull;
    step->second = op->d.agg_plain_pergroup_nullcheck.setoff;
    break;
  case EEOP_AGG_PLAIN_TRANS_INIT_STRICT_BYVAL:
  case EEOP_AGG_PLAIN_TRANS_STRICT_BYVAL:
  case EEOP_AGG_PLAIN_TRANS_BYVAL:
    step->function = code_of(op->d.agg_trans.pertrans->transfn_fcinfo->flinfo->fn_addr);
    /* FALLTHROUGH */
  case EEOP_AGG_PLAIN_TRANS_INIT_STRICT_BYREF:
  case EEOP_AGG_PLAIN_TRANS_STRICT_BYREF:
  case EEOP_AGG_PLAIN_TRANS_BYREF:
    step->jump_or_number = op->d.agg_trans.transno;
    step->second = op->d.agg_trans.setoff;
    break;
  default:
    break;
  }
}

const char *pgsartor_describe(const ExprState *state, PgsartorShape *shape) {
  memset(shape, 0, sizeof *shape);
  if (state->steps_len > PGSARTOR_STEPS)
    return "more than 96 steps";
  for (int at = 0; at < state->steps_len; ++at) {
    PgsartorStep *step = &shape->steps[at];
    step->opcode = (uint8)state->steps[at].opcode;
    describe_operands(&state->steps[at], step, shape);
    describe_result(state, at, step);
  }
  return NULL;
}
