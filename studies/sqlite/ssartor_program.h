/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef SSARTOR_PROGRAM_H
#define SSARTOR_PROGRAM_H

#include "sqliteInt.h"
#include "vdbeInt.h"

/** What a variant knows of its statement: a copy of the program with all that its instructions
 * point to and that is folded, in one piece of memory that nobody else has. Does not change. */
typedef struct SsartorProgram {
  const Op *ops;
  const int *places; /**< Instructions where control may go on, in lists that end with -1. The first
                        list: where a call may begin. */
  const int *lists;  /**< By instruction that jumps to where a register says: its list. */
  const int
      *steps; /**< By instruction: how many from there on are left to the interpreter at once, */
  const int *after; /**< and where control goes on behind them, if that is known. Else 1, and -1. */
  int nowhere;      /**< A list with nothing in it. */
  const unsigned char
      *kinds; /**< By instruction: which aggregate is called there, or whether it jumps. */
} SsartorProgram;

enum { SSARTOR_OTHER, SSARTOR_SUM, SSARTOR_COUNT, SSARTOR_JUMPS };

enum {
  SSARTOR_LEFT = 0x7f000001, /**< To go on at the saved pc, by somebody else. */
  SSARTOR_STEPPED            /**< One instruction has been done; the next is at the saved pc. */
};

/** Whether a variant could run the statement. */
int ssartor_may_have_variant(const Vdbe *p);
/** What is to be promised; freed with free(), as `may_begin` is, which says of each instruction
 *  whether a call may begin there. */
SsartorProgram *ssartor_make_program(const Vdbe *p, size_t *size, unsigned char **may_begin);

enum { MOST_FIELDS = 13 };
/** A key's description, if its texts are compared as bytes and NULL comes first. Does not change.
 */
typedef struct SsartorKey {
  int fields;
  unsigned char descends[MOST_FIELDS];
} SsartorKey;

/** The handler: sqlite3VdbeExec() from an instruction of the first list on. Beyond what that
 *  returns, SSARTOR_LEFT. */
int sqlite3SsartorRun(Vdbe *p, int start, const SsartorProgram *own);

/** The handler of sorters: what sqlite3SsartorSlowCompare() is, by a key. */
int sqlite3SsartorCompare(void *task, int *is_cached, const void *one, int one_size,
                          const void *other, int other_size, const SsartorKey *key);

/** In the middle of sqlite3VdbeExec(), from the saved pc on: `most` instructions, or all if that is
 *  negative. Beyond what that returns, SSARTOR_STEPPED. */
int sqlite3SsartorStep(Vdbe *p, int most);

#endif
