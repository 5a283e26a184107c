/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef TEST_STUDIES_SQLITE_BEHAVES_H
#define TEST_STUDIES_SQLITE_BEHAVES_H

#include <sqlite3.h>

/** A connection to a database in memory. */
sqlite3 *open_memory(void);
/** Runs SQL of which nothing is told but errors. */
void run(sqlite3 *db, const char *sql);
sqlite3_stmt *prepare(sqlite3 *db, const char *sql);
/** Steps once, and tells the row, or how it ended. Gives what sqlite3_step() does. */
int tell_step(sqlite3_stmt *statement);
/** Steps to the end, and resets. */
void tell_all(sqlite3_stmt *statement);
/** Tells all rows of a query, prepared once and run so many times. */
void tell(sqlite3 *db, const char *sql, int times);
/** A table t(id, a, b, c, d) of integers, numbers, texts and mixed values, NULL among them. */
void make_mixed(sqlite3 *db, int rows);
/** The same numbers each time. */
unsigned below(unsigned bound);

/* The scenarios. */
void values(void);
void programs(void);
void schema(void);
void finalized(void);
void interrupted(void);
void forked(void);
void threads(void);
void triggers(void);
void functions(void);
void handlers(void);
void randomly(void);

#endif
