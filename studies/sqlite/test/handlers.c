/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Callbacks that report the actions of statements; the time within one step; values that are
 * read in between. */
#include <stdio.h>

#include "behaves.h"

static int trace(unsigned kind, void *unused, void *one, void *other) {
  (void)unused, (void)one;
  if (kind == SQLITE_TRACE_STMT)
    printf("  begins: %s\n", (const char *)other);
  else
    printf("  row\n");
  return 0;
}

void handlers(void) {
  sqlite3 *db = open_memory();
  make_mixed(db, 30);
  sqlite3_trace_v2(db, SQLITE_TRACE_STMT | SQLITE_TRACE_ROW, trace, NULL);
  report(db, "SELECT a, b FROM t WHERE id < 6", 3);
  sqlite3_trace_v2(db, 0, NULL, NULL);

  /* The time is constant within a step. */
  report(db, "SELECT count(DISTINCT strftime('%f', 'now')) FROM t, t", 3);

  /* Reading a column as text changes the register. */
  sqlite3_stmt *some = prepare(db, "SELECT id, b, id + b FROM t WHERE id < 10");
  for (int round = 0; round < 3; ++round) {
    while (sqlite3_step(some) == SQLITE_ROW)
      for (int i = 0; i < 3; ++i)
        printf(" %s %lld", (const char *)sqlite3_column_text(some, i),
               sqlite3_column_int64(some, i));
    printf("\n");
    sqlite3_reset(some);
  }
  sqlite3_finalize(some);

  /* Parameters of another type each time. */
  sqlite3_stmt *bound = prepare(db, "SELECT count(*) FROM t WHERE d > ?1 OR a = ?1");
  for (int i = 0; i < 8; ++i) {
    if (i % 4 == 0)
      sqlite3_bind_int(bound, 1, 5);
    else if (i % 4 == 1)
      sqlite3_bind_text(bound, 1, "x2", -1, SQLITE_STATIC);
    else if (i % 4 == 2)
      sqlite3_bind_null(bound, 1);
    else
      sqlite3_bind_double(bound, 1, 3.5);
    report_all(bound);
  }
  sqlite3_finalize(bound);
  sqlite3_close(db);
}
