/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef LSARTOR_PROGRAM_H
#define LSARTOR_PROGRAM_H

#include "lobject.h"
#include "lstate.h"

enum { MOST_TAGS = 64 };
/** A point at which a variant may be entered. */
typedef struct {
  int pc;              /**< An index into the function's code. */
  int tags[MOST_TAGS]; /**< The expected tag of each register, or -1 if it is unknown. */
} lsartor_Entry;

/** The data that a variant is specialized to. Does not change while the function exists. */
typedef struct lsartor_Program {
  const Instruction *code;
  TValue *k;
  const lsartor_Entry *entries; /**< The first entry is at the first instruction. */
  int entries_count;
  int registers;
  int leaves_arithmetic; /**< Leave to the interpreter for arithmetic on non-numbers: types are then
                            known afterwards. */
  int captured;          /**< The first register that closures may change, ... */
  int captured_count;
} lsartor_Program;

/** Runs a frame of the program's function from its saved pc, which is one of the entries.
 * Returns the frame that control transfers to: one whose call has to be begun (tagged:
 * lsartor_fresh()), the caller's, the same frame if the variant has left at the saved pc, or
 * null if the returned frame was called by C. Calls to functions with variants nest at most
 * `nesting` deep. */
CallInfo *lsartor_run(lua_State *L, CallInfo *ci, int nesting, const lsartor_Program *own);

/** Performs a call for a variant that runs `caller`: returns `caller` when the results are
 * available, or, if no variant can run, the frame that control transfers to. */
CallInfo *lsartor_call(lua_State *L, StkId func, int nresults, CallInfo *caller, int nesting);

/** The value of a `key` that a table inherits, for a table without the key itself; null if a
 * metamethod function has to be called. */
const TValue *lsartor_inherited(lua_State *L, Table *t, const TString *key);

#endif
