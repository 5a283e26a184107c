/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Statements are created and finalized, also while their variants are compiled; connections,
 * too. */
#include <stdio.h>

#include "behaves.h"

void finalized(void) {
  for (int round = 0; round < 4; ++round) {
    sqlite3 *db = open_memory();
    make_mixed(db, 40);
    for (int i = 0; i < 9; ++i) {
      char sql[100];
      snprintf(sql, sizeof sql, "SELECT sum(a), count(*) FROM t WHERE b > %d", i % 4);
      sqlite3_stmt *statement = prepare(db, sql);
      report_all(statement);
      report_all(statement);
      if (i % 3 == 0)
        report_step(statement);
      sqlite3_finalize(statement);
    }
    sqlite3_stmt *left = prepare(db, "SELECT id FROM t WHERE id < 4");
    report_all(left);
    report_step(left);
    printf("close: %d\n", sqlite3_close(db));
    if (round % 2) {
      sqlite3_close_v2(db);
      report_all(left);
      sqlite3_finalize(left);
    } else {
      sqlite3_finalize(left);
      printf("close: %d\n", sqlite3_close(db));
    }
  }
}
