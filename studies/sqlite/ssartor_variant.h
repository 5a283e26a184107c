/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** Macros of the interpreter's loop in the handler. Included by vdbe.c before the loop.
 *
 * If the next instruction depends on a register (a subroutine returns, a coroutine continues) or
 * on where a call begins, the interpreter's own loop searches the list of all possible places,
 * so that all control flow is specialized together. */
#ifndef SSARTOR_VARIANT_H
#define SSARTOR_VARIANT_H

#define ssartor_ops (Op *)own->ops
#define ssartor_locals                                                                             \
  int place_ = 0;      /* in the list that is being searched, or -1 */                             \
  int wanted_ = start; /* the place to be found */
#define ssartor_unknown volatile
#define ssartor_begins 1
#define ssartor_start aOp
#define ssartor_next                                                                               \
  if (place_ >= 0) {                                                                               \
    const int instruction_ = own->places[place_];                                                  \
    if (instruction_ < 0) {                                                                        \
      p->pc = wanted_;                                                                             \
      rc = SSARTOR_LEFT;                                                                           \
      goto vdbe_return;                                                                            \
    }                                                                                              \
    if (instruction_ != wanted_) {                                                                 \
      ++place_;                                                                                    \
      --pOp;                                                                                       \
      continue;                                                                                    \
    }                                                                                              \
    pOp = &aOp[instruction_];                                                                      \
    place_ = -1;                                                                                   \
  }                                                                                                \
  ssartor_fast
/* The usual case of an instruction. */
#define done_if(is_done)                                                                           \
  nVmStep++;                                                                                       \
  if (is_done)                                                                                     \
    continue;                                                                                      \
  goto ssartor_slow;
#define ssartor_fast                                                                               \
  switch (pOp->opcode) {                                                                           \
  case FAST_Column:                                                                                \
    done_if(fast_column(p, aMem, pOp, encoding));                                                  \
  case FAST_Rowid:                                                                                 \
    done_if(fast_rowid(p, aMem, pOp));                                                             \
  case FAST_Add:                                                                                   \
  case FAST_Subtract:                                                                              \
  case FAST_Multiply:                                                                              \
  case FAST_Divide:                                                                                \
  case FAST_Remainder:                                                                             \
    done_if(fast_arithmetic(aMem, pOp));                                                           \
  case FAST_AggStep1:                                                                              \
    if (own->kinds[pOp - aOp] == SSARTOR_OTHER)                                                    \
      break;                                                                                       \
    done_if(fast_aggregate(aMem, pOp, own->kinds[pOp - aOp]));                                     \
  case FAST_Eq:                                                                                    \
  case FAST_Ne:                                                                                    \
  case FAST_Lt:                                                                                    \
  case FAST_Le:                                                                                    \
  case FAST_Gt:                                                                                    \
  case FAST_Ge: {                                                                                  \
    int jumps_;                                                                                    \
    nVmStep++;                                                                                     \
    if (!fast_compare(aMem, pOp, &jumps_))                                                         \
      goto ssartor_slow;                                                                           \
    if (jumps_)                                                                                    \
      pOp = &aOp[pOp->p2 - 1];                                                                     \
    continue;                                                                                      \
  }                                                                                                \
  case FAST_Next:                                                                                  \
    nVmStep++;                                                                                     \
    if (!fast_next(p, pOp))                                                                        \
      goto ssartor_slow;                                                                           \
    if (AtomicLoad(&db->u1.isInterrupted))                                                         \
      goto abort_due_to_interrupt;                                                                 \
    pOp = &aOp[pOp->p2 - 1];                                                                       \
    continue;                                                                                      \
  default:                                                                                         \
    break;                                                                                         \
  }
#define ssartor_goto(place)                                                                        \
  {                                                                                                \
    wanted_ = (int)(place) + 1;                                                                    \
    place_ = own->lists[pOp - aOp];                                                                \
  }
#define ssartor_real(op) (&p->aOp[(op) - aOp])
/* Instructions that are not worth specializing are executed by the interpreter. */
#define ssartor_rare                                                                               \
  if (pOp->opcode != FAST_Noop && pOp->opcode != FAST_Explain) {                                   \
  ssartor_slow:                                                                                    \
    nVmStep--;                                                                                     \
    p->pc = (int)(pOp - aOp);                                                                      \
    rc = sqlite3SsartorStep(p, own->steps[pOp - aOp]);                                             \
    if (rc != SSARTOR_STEPPED)                                                                     \
      goto vdbe_return;                                                                            \
    rc = SQLITE_OK;                                                                                \
    if (own->after[pOp - aOp] >= 0 && p->pc == own->after[pOp - aOp]) {                            \
      pOp = &aOp[own->after[pOp - aOp] - 1];                                                       \
      break;                                                                                       \
    }                                                                                              \
    if (own->kinds[pOp - aOp] == SSARTOR_JUMPS && own->steps[pOp - aOp] == 1) {                    \
      if (p->pc == (int)(pOp - aOp) + 1)                                                           \
        break;                                                                                     \
      if (p->pc == pOp->p2)                                                                        \
        goto jump_to_p2;                                                                           \
      if (p->pc == (int)(pOp - aOp) + 2) { /* a seek determines the result of the next one */      \
        pOp++;                                                                                     \
        break;                                                                                     \
      }                                                                                            \
    }                                                                                              \
    wanted_ = p->pc;                                                                               \
    place_ = own->nowhere;                                                                         \
  }

/* Replaces a function called by inlined functions that is not inlined itself: it does the same
 * from the beginning. */
static void ssartor_clear(Mem *to) { sqlite3VdbeMemSetNull(to); }
static void ssartor_copy(Mem *to, const Mem *from, int kind) {
  sqlite3VdbeMemShallowCopy(to, from, kind);
}
static void ssartor_set(Mem *to, i64 value) { sqlite3VdbeMemSetInt64(to, value); }
static i64 ssartor_integer(const Mem *from) { return sqlite3VdbeIntValue(from); }
static double ssartor_number(const Mem *from) { return sqlite3VdbeRealValue((Mem *)from); }
#define vdbeMemClearExternAndSetNull(to) ssartor_clear(to)
#define vdbeClrCopy(to, from, kind) ssartor_copy(to, from, kind)
#define vdbeReleaseAndSetInt64(to, value) ssartor_set(to, value)
#define doubleToInt64(number) ssartor_integer(pMem)
#define memIntValue(from) ssartor_integer(from)
#define memRealValue(from) ssartor_number(from)

/* Generated by build.sh: SQLite's functions to be inlined, and types. */
#include "ssartor_taken.h"

#include "ssartor_fast.h"

#endif
