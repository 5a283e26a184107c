/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Statements that are hot are run by variants of the interpreter's loop, each made for the program
 * of one statement, of which nothing is fetched or decoded any more. What the patch puts into
 * SQLite's interpreter is here: nothing, in the interpreter itself. See README.md.
 */
#ifndef SSARTOR_H
#define SSARTOR_H

#if defined(SSARTOR_VARIANT)
#include "ssartor_variant.h"
#elif defined(SSARTOR_STEP)

#define ssartor_ops p->aOp
#define ssartor_locals
#define ssartor_unknown
#define ssartor_begins 0
#define ssartor_start &aOp[p->pc]
#define ssartor_next                                                                               \
  if (most >= 0 && most-- == 0) {                                                                  \
    p->pc = (int)(pOp - aOp);                                                                      \
    rc = SSARTOR_STEPPED;                                                                          \
    goto vdbe_return;                                                                              \
  }
#define ssartor_goto(place) pOp = &aOp[place]
#define ssartor_real(op) (op)
#define ssartor_rare

#else

/** The program that is interpreted, and what else there is to be declared. */
#define ssartor_ops p->aOp
#define ssartor_locals
/** What is not to be followed. */
#define ssartor_unknown
/** Whether this is where a call of sqlite3_step() begins. */
#define ssartor_begins 1
/** Where it begins, and what is done in front of each instruction. */
#define ssartor_start &aOp[p->pc]
#define ssartor_next
/** To the instruction behind that place, which is not known. */
#define ssartor_goto(place) pOp = &aOp[place]
/** An instruction that is written to. */
#define ssartor_real(op) (op)
/** What is done about instructions that are no cases of the switch. */
#define ssartor_rare

#endif

#endif
