/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef LSARTOR_PROGRAM_H
#define LSARTOR_PROGRAM_H

#include "lobject.h"
#include "lstate.h"

/** What a variant knows of its function. Does not change while the function is there. */
typedef struct lsartor_Program {
  const Instruction *code;
  TValue *k;
  const int
      *entries; /**< Where a variant may be entered, as indices into `code`; 0 is the first. */
  int entries_count;
  int registers;
  int captured; /**< The first of the registers that closures may come to change, ... */
  int captured_count;
} lsartor_Program;

/** Runs a frame of the program's function, at its saved pc, which is one of the entries. Returns
 * the frame that control goes to: one whose call is to be begun (tagged: lsartor_fresh()), the
 * caller's, the same where the variant has left at the saved pc, or null if the frame that has
 * returned was called by C. Calls to functions with variants nest, so many at most. */
CallInfo *lsartor_run(lua_State *L, CallInfo *ci, int nesting, const lsartor_Program *own);

/** Runs a frame, for a variant that has called its function, until control comes back to `caller`,
 * or goes where no variant is at hand: the frame that it goes to then. */
CallInfo *lsartor_nested(lua_State *L, CallInfo *frame, CallInfo *caller, int nesting);

#endif
