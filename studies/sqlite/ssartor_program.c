/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Builds the data that a variant is specialized to. */
#include "ssartor_program.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_INSTRUCTIONS = 1000 }; /* of a statement that is considered */

/* Memory whose size is computed in a first pass and filled in a second. */
typedef struct Arena {
  char *memory; /* null in the first pass */
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
  return sqlite3IsBinary(collation) ? NULL : collation; /* compared as blobs */
}

/* The description of keys, as far as OP_Compare uses it. */
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

/* Copies an instruction that variants know completely; omits operands that they leave to the
 * interpreter. */
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
    to->p1 = 0; /* changes; looked up at run time */
}

/* Lists of places, concatenated. */
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

/* Adds the places where a call may begin: the first instruction, and after each row. */
static void add_begins(Places *to, const Vdbe *p) {
  add_place(to, 0);
  for (int i = 0; i + 1 < p->nOp; ++i)
    if (p->aOp[i].opcode == OP_ResultRow)
      add_place(to, i + 1);
  add_place(to, -1);
}

/* Adds the possible targets of an instruction that jumps to a register's value. */
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

/* The aggregates that variants compute themselves, as long as they are not overridden. */
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

/* A statement's prologue before its loops is one call of the interpreter. */
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

SsartorProgram *ssartor_make_program(const Vdbe *p, size_t *size, unsigned char **may_begin) {
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
  *size = arena.used;
  arena = (Arena){.memory = calloc(1, arena.used)};
  put_program(&arena, p, &places, lists);
  *may_begin = calloc((size_t)p->nOp, 1);
  for (const int *place = places.places; *place >= 0; ++place)
    (*may_begin)[*place] = 1;
  free(places.places);
  free(lists);
  return (SsartorProgram *)arena.memory;
}

/* Excludes triggers and schema changes, which run programs within the program, or other
 * statements. A comparison of several values leaves its result to the next instruction. */
int ssartor_may_have_variant(const Vdbe *p) {
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
