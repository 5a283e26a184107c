/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** Hot statements run in variants of the interpreter's loop, each specialized to the program of
 * one statement, whose instructions are no longer fetched or decoded. This header defines the
 * macros that the patch adds to SQLite's interpreter; in the interpreter itself they have no
 * effect. See README.md. */
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

/** The interpreted program, and further declarations. */
#define ssartor_ops p->aOp
#define ssartor_locals
/** Marks a variable whose value must not be specialized. */
#define ssartor_unknown
/** True if a call of sqlite3_step() begins here. */
#define ssartor_begins 1
/** The start, and the work before each instruction. */
#define ssartor_start &aOp[p->pc]
#define ssartor_next
/** Jumps to the instruction after a computed place. */
#define ssartor_goto(place) pOp = &aOp[place]
/** The instruction as an lvalue. */
#define ssartor_real(op) (op)
/** Handles instructions that have no case in the switch. */
#define ssartor_rare

#endif

#endif
