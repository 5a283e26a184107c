/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions and collations of the program that fail, run other statements, replace SQLite's, and
 * change between runs. Also triggers. */
#include <stdio.h>
#include <string.h>

#include "behaves.h"

static void fails(sqlite3_context *context, int count, sqlite3_value **arguments) {
  (void)count;
  if (sqlite3_value_int(arguments[0]) == 7)
    sqlite3_result_error(context, "seven", -1);
  else
    sqlite3_result_int(context, 2 * sqlite3_value_int(arguments[0]));
}

static sqlite3_stmt *nested;
static void nests(sqlite3_context *context, int count, sqlite3_value **arguments) {
  (void)count;
  sqlite3_bind_value(nested, 1, arguments[0]);
  sqlite3_step(nested);
  sqlite3_result_value(context, sqlite3_column_value(nested, 0));
  sqlite3_reset(nested);
}

static void add_one(sqlite3_context *context, int count, sqlite3_value **arguments) {
  (void)count, (void)arguments;
  ++*(int *)sqlite3_aggregate_context(context, sizeof(int));
}
static void give_ones(sqlite3_context *context) {
  const int *ones = sqlite3_aggregate_context(context, sizeof(int));
  sqlite3_result_int(context, -*ones);
}

static int backwards(void *unused, int one_size, const void *one, int other_size,
                     const void *other) {
  (void)unused;
  const int order = memcmp(other, one, (size_t)(one_size < other_size ? one_size : other_size));
  return order ? order : other_size - one_size;
}
static int by_length(void *unused, int one_size, const void *one, int other_size,
                     const void *other) {
  (void)unused, (void)one, (void)other;
  return one_size - other_size;
}

void functions(void) {
  sqlite3 *db = open_memory();
  make_mixed(db, 50);
  sqlite3_create_function(db, "fails", 1, SQLITE_UTF8, NULL, fails, NULL, NULL);
  report(db, "SELECT fails(id + 10) FROM t", 3);
  report(db, "SELECT id, fails(id) FROM t", 3);
  report(db, "SELECT sum(fails(id)) FROM t", 2);

  nested = prepare(db, "SELECT count(*) FROM t WHERE id < ?1");
  sqlite3_create_function(db, "nests", 1, SQLITE_UTF8, NULL, nests, NULL, NULL);
  report(db, "SELECT sum(nests(id)) FROM t WHERE nests(id) > 3", 3);
  sqlite3_finalize(nested);

  sqlite3_stmt *sum = prepare(db, "SELECT sum(a), count(*) FROM t WHERE id < 20");
  report_all(sum);
  report_all(sum);
  sqlite3_create_function(db, "sum", 1, SQLITE_UTF8, NULL, NULL, add_one, give_ones);
  report_all(sum);
  report_all(sum);
  sqlite3_create_function(db, "sum", 1, SQLITE_UTF8, NULL, NULL, NULL, NULL);
  report_all(sum);
  sqlite3_finalize(sum);

  sqlite3_create_collation(db, "own", SQLITE_UTF8, NULL, backwards);
  sqlite3_stmt *ordered =
      prepare(db, "SELECT c FROM t WHERE c < 'x4' COLLATE own ORDER BY c COLLATE own, id");
  report_all(ordered);
  report_all(ordered);
  sqlite3_create_collation(db, "own", SQLITE_UTF8, NULL, by_length);
  report_all(ordered);
  report_all(ordered);
  sqlite3_finalize(ordered);

  sqlite3_limit(db, SQLITE_LIMIT_LENGTH, 1000);
  report(db, "SELECT length(c || printf('%.*c', id * 50, 'x')) FROM t", 2);
  sqlite3_close(db);
}

void triggers(void) {
  sqlite3 *db = open_memory();
  make_mixed(db, 50);
  run(db, "CREATE TABLE log(what, id);"
          "CREATE TRIGGER on_update AFTER UPDATE ON t BEGIN "
          "  INSERT INTO log SELECT 'update ' || old.a, new.id WHERE new.a > 3; END;"
          "CREATE TRIGGER on_insert BEFORE INSERT ON log BEGIN "
          "  SELECT RAISE(IGNORE) WHERE new.id % 7 = 0; SELECT RAISE(ABORT, 'three') WHERE new.id "
          "= 33; END;");
  report(db, "UPDATE t SET a = a + 1 WHERE id < 30", 3);
  report(db, "UPDATE t SET a = a + 1 WHERE id > 20", 2);
  report(db, "SELECT count(*), max(what), sum(id) FROM log", 3);
  run(db, "PRAGMA foreign_keys = on; CREATE TABLE parent(id INTEGER PRIMARY KEY);"
          "CREATE TABLE child(of REFERENCES parent ON DELETE CASCADE);"
          "INSERT INTO parent SELECT id FROM t; INSERT INTO child SELECT id FROM t");
  report(db, "DELETE FROM parent WHERE id = (SELECT max(id) FROM parent)", 3);
  report(db, "SELECT count(*) FROM child", 2);
  sqlite3_close(db);
}
