/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The schema changes between runs of a statement and between its steps; SQLite prepares
 * statements again automatically. */
#include <stdio.h>

#include "behaves.h"

static void report_reprepared(sqlite3_stmt *statement) {
  printf("  prepared again: %d\n", sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_REPREPARE, 0));
}

static void between_runs(sqlite3 *db) {
  static const char *const changes[] = {
      "CREATE INDEX t_a ON t(a)",
      "ALTER TABLE t ADD COLUMN e DEFAULT 7",
      "UPDATE t SET a = a + 1",
      "DROP INDEX t_a",
      "ALTER TABLE t RENAME COLUMN d TO dd",
      "CREATE TABLE other(x)",
      "DROP TABLE other",
      "ANALYZE",
      "ALTER TABLE t DROP COLUMN c",
      "ALTER TABLE t RENAME TO u",
      "ALTER TABLE u RENAME TO t",
      "VACUUM",
      "DROP TABLE t",
      "CREATE TABLE t(id, a, b)",
  };
  sqlite3_stmt *all = prepare(db, "SELECT * FROM t WHERE a > 20 AND a < 90");
  sqlite3_stmt *sum = prepare(db, "SELECT sum(a), avg(b), count(*) FROM t WHERE a > ?1");
  for (unsigned i = 0; i < sizeof changes / sizeof *changes; ++i) {
    sqlite3_bind_int(sum, 1, (int)i);
    for (int times = 0; times < 2; ++times) {
      report_all(all);
      report_all(sum);
    }
    printf("%s\n", changes[i]);
    run(db, changes[i]);
  }
  report_all(all);
  report_all(sum);
  report_reprepared(all);
  report_reprepared(sum);
  sqlite3_finalize(all);
  sqlite3_finalize(sum);
}

static void between_steps(sqlite3 *db) {
  static const char *const changes[] = {
      "CREATE INDEX t_a ON t(a)",
      "ALTER TABLE t ADD COLUMN e DEFAULT 7",
      "UPDATE t SET b = b + 1",
      "DELETE FROM t WHERE id % 5 = 0",
      "INSERT INTO t(a) VALUES(50)",
      "DROP INDEX t_a",
      "ROLLBACK",
      "DROP TABLE t",
  };
  sqlite3_stmt *all = prepare(db, "SELECT id, a, b, c FROM t WHERE a > 5");
  for (int i = 0; i < 3; ++i)
    report_all(all);
  for (unsigned i = 0; i < sizeof changes / sizeof *changes; ++i) {
    if (changes[i][0] == 'R')
      run(db, "BEGIN; UPDATE t SET b = 0 WHERE id < 20");
    report_step(all);
    printf("%s\n", changes[i]);
    run(db, changes[i]);
    report_step(all);
    if (i % 2)
      report_all(all);
  }
  report_all(all);
  report_reprepared(all);
  sqlite3_finalize(all);
}

void schema(void) {
  sqlite3 *db = open_memory();
  make_mixed(db, 60);
  between_runs(db);
  sqlite3_close(db);
  db = open_memory();
  make_mixed(db, 60);
  between_steps(db);
  sqlite3_close(db);
}
