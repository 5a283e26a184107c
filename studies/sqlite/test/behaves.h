/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef TEST_STUDIES_SQLITE_BEHAVES_H
#define TEST_STUDIES_SQLITE_BEHAVES_H

#include <sqlite3.h>

/** Opens a database in memory. */
sqlite3 *open_memory(void);
/** Runs SQL and prints only errors. */
void run(sqlite3 *db, const char *sql);
sqlite3_stmt *prepare(sqlite3 *db, const char *sql);
/** Steps once, and prints the row or the final status. Returns the result of sqlite3_step(). */
int report_step(sqlite3_stmt *statement);
/** Steps to the end, and resets. */
void report_all(sqlite3_stmt *statement);
/** Prints all rows of a query that is prepared once and run so many times. */
void report(sqlite3 *db, const char *sql, int times);
/** Creates a table t(id, a, b, c, d) of integers, numbers, texts and mixed values, including
 * NULL. */
void make_mixed(sqlite3 *db, int rows);
/** The same random numbers in each run. */
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
