/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef SSARTOR_PROGRAM_H
#define SSARTOR_PROGRAM_H

#include "sqliteInt.h"
#include "vdbeInt.h"

/** The data that a variant is specialized to: a copy of the program with everything that its
 * instructions point to and that is folded, in one block of memory of its own. Immutable. */
typedef struct SsartorProgram {
  const Op *ops;
  const int *places; /**< Possible jump targets, in lists that end with -1. The first list: where a
                        call may begin. */
  const int *lists;  /**< For each instruction that jumps to a register's value: its list. */
  const int *steps;  /**< For each instruction: how many from it on are left to the interpreter, */
  const int
      *after;  /**< and where control continues after them, if that is known. Else 1, and -1. */
  int nowhere; /**< An empty list. */
  const unsigned char
      *kinds; /**< For each instruction: the aggregate called there, or whether it jumps. */
} SsartorProgram;

enum { SSARTOR_OTHER, SSARTOR_SUM, SSARTOR_COUNT, SSARTOR_JUMPS };

enum {
  SSARTOR_LEFT = 0x7f000001, /**< Continue at the saved pc in other code. */
  SSARTOR_STEPPED            /**< One instruction was executed; the next is at the saved pc. */
};

/** Returns whether a variant could run the statement. */
int ssartor_may_have_variant(const Vdbe *p);
/** Builds the memory to be declared invariant; freed with free(), as is `may_begin`, which has
 * for each instruction whether a call may begin there. */
SsartorProgram *ssartor_make_program(const Vdbe *p, size_t *size, unsigned char **may_begin);

enum { MOST_FIELDS = 13 };
/** A key's description, if its texts are compared as bytes and NULL comes first. Immutable. */
typedef struct SsartorKey {
  int fields;
  unsigned char descends[MOST_FIELDS];
} SsartorKey;

/** The handler: sqlite3VdbeExec() from an instruction of the first list on. Returns the same
 * results, or SSARTOR_LEFT. */
int sqlite3SsartorRun(Vdbe *p, int start, const SsartorProgram *own);

/** The handler of sorters: sqlite3SsartorSlowCompare() for one key. */
int sqlite3SsartorCompare(void *task, int *is_cached, const void *one, int one_size,
                          const void *other, int other_size, const SsartorKey *key);

/** Continues in the middle of sqlite3VdbeExec(), from the saved pc: `most` instructions, or all
 * if that is negative. Returns the same results, or SSARTOR_STEPPED. */
int sqlite3SsartorStep(Vdbe *p, int most);

#endif
