/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef LSARTOR_PROGRAM_H
#define LSARTOR_PROGRAM_H

#include "lobject.h"
#include "lstate.h"

enum { MOST_TAGS = 64 };
/** A place at which a variant may be entered. */
typedef struct {
  int pc;              /**< An index into the function's code. */
  int tags[MOST_TAGS]; /**< By register: what its tag is, or -1 if that is not known. */
} lsartor_Entry;

/** What a variant knows of its function. Does not change while the function is there. */
typedef struct lsartor_Program {
  const Instruction *code;
  TValue *k;
  const lsartor_Entry *entries; /**< The first is at the first instruction. */
  int entries_count;
  int registers;
  int leaves_arithmetic; /**< Of what is no number, to the interpreter: then types are known behind
                            it. */
  int captured;          /**< The first of the registers that closures may come to change, ... */
  int captured_count;
} lsartor_Program;

/** Runs a frame of the program's function, at its saved pc, which is one of the entries. Returns
 * the frame that control goes to: one whose call is to be begun (tagged: lsartor_fresh()), the
 * caller's, the same where the variant has left at the saved pc, or null if the frame that has
 * returned was called by C. Calls to functions with variants nest, so many at most. */
CallInfo *lsartor_run(lua_State *L, CallInfo *ci, int nesting, const lsartor_Program *own);

/** A call, by a variant that runs `caller`: gives `caller` when the results are there, or, where no
 *  variant is at hand, the frame that control goes to. */
CallInfo *lsartor_call(lua_State *L, StkId func, int nresults, CallInfo *caller, int nesting);

/** What a table that does not have `key` itself gives by tables that it inherits from; null if a
 *  function is to be called for it. */
const TValue *lsartor_inherited(lua_State *L, Table *t, const TString *key);

#endif
