/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * behaves SCENARIO: uses SQLite in some way, and prints all results.
 */
#include "behaves.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
  const char *name;
  void (*run)(void);
} scenarios[] = {{"values", values},       {"programs", programs},       {"schema", schema},
                 {"finalized", finalized}, {"interrupted", interrupted}, {"forked", forked},
                 {"threads", threads},     {"triggers", triggers},       {"functions", functions},
                 {"handlers", handlers},   {"randomly", randomly}};

unsigned below(unsigned bound) {
  static unsigned long long state = 88172645463325252U;
  state ^= state << 13U;
  state ^= state >> 7U;
  state ^= state << 17U;
  return (unsigned)((state >> 20U) % bound);
}

sqlite3 *open_memory(void) {
  sqlite3 *db;
  if (sqlite3_open(":memory:", &db))
    exit(EXIT_FAILURE);
  return db;
}

void run(sqlite3 *db, const char *sql) {
  char *error = NULL;
  if (sqlite3_exec(db, sql, NULL, NULL, &error))
    printf("%s: %s\n", sql, error);
  sqlite3_free(error);
}

sqlite3_stmt *prepare(sqlite3 *db, const char *sql) {
  sqlite3_stmt *statement = NULL;
  if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL))
    printf("%s: %s\n", sql, sqlite3_errmsg(db));
  return statement;
}

int report_step(sqlite3_stmt *statement) {
  const int rc = sqlite3_step(statement);
  if (rc != SQLITE_ROW) {
    printf("  ends: %d, %s\n", rc, sqlite3_errmsg(sqlite3_db_handle(statement)));
    return rc;
  }
  for (int i = 0; i < sqlite3_column_count(statement); ++i) {
    const int type = sqlite3_column_type(statement, i);
    printf(" %d:", type);
    if (type == SQLITE_FLOAT)
      printf("%.17g", sqlite3_column_double(statement, i));
    else if (type == SQLITE_BLOB)
      printf("%d bytes", sqlite3_column_bytes(statement, i));
    else if (type != SQLITE_NULL)
      printf("%s", (const char *)sqlite3_column_text(statement, i));
  }
  printf("\n");
  return rc;
}

void report_all(sqlite3_stmt *statement) {
  if (!statement)
    return;
  while (report_step(statement) == SQLITE_ROW)
    ;
  printf("  reset: %d\n", sqlite3_reset(statement));
}

void report(sqlite3 *db, const char *sql, int times) {
  printf("%s\n", sql);
  sqlite3_stmt *statement = prepare(db, sql);
  for (int i = 0; i < times; ++i)
    report_all(statement);
  if (statement)
    printf("  steps: %d, scanned: %d, sorted: %d, runs: %d\n",
           sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_VM_STEP, 0),
           sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_FULLSCAN_STEP, 0),
           sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_SORT, 0),
           sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_RUN, 0));
  sqlite3_finalize(statement);
}

void make_mixed(sqlite3 *db, int rows) {
  run(db, "CREATE TABLE t(id INTEGER PRIMARY KEY, a INTEGER, b REAL, c TEXT, d)");
  sqlite3_stmt *row = prepare(db, "INSERT INTO t VALUES(?,?,?,?,?)");
  for (int i = 1; i <= rows; ++i) {
    char text[300];
    snprintf(text, sizeof text, "%s%u", below(2) ? "x" : "Y", below(50));
    if (below(20) == 0)
      memset(text, 'l', 200 + below(90)), text[200] = 0;
    sqlite3_bind_int(row, 1, i);
    below(8) ? sqlite3_bind_int64(row, 2, (sqlite3_int64)below(1000) << (below(9) * 6))
             : sqlite3_bind_null(row, 2);
    below(8) ? sqlite3_bind_double(row, 3, (int)below(2000) / 8.0 - 100)
             : sqlite3_bind_null(row, 3);
    below(8) ? sqlite3_bind_text(row, 4, text, -1, SQLITE_TRANSIENT) : sqlite3_bind_null(row, 4);
    switch (below(5)) {
    case 0:
      sqlite3_bind_int(row, 5, (int)below(100) - 50);
      break;
    case 1:
      sqlite3_bind_double(row, 5, (int)below(100) / 4.0);
      break;
    case 2:
      sqlite3_bind_text(row, 5, text, -1, SQLITE_TRANSIENT);
      break;
    case 3:
      sqlite3_bind_blob(row, 5, text, 3, SQLITE_TRANSIENT);
      break;
    default:
      sqlite3_bind_null(row, 5);
    }
    sqlite3_step(row);
    sqlite3_reset(row);
  }
  sqlite3_finalize(row);
}

int main(int argc, char **argv) {
  for (size_t i = 0; argc == 2 && i < sizeof scenarios / sizeof *scenarios; ++i)
    if (!strcmp(scenarios[i].name, argv[1])) {
      scenarios[i].run();
      return 0;
    }
  fprintf(stderr, "usage: behaves SCENARIO\n");
  return EXIT_FAILURE;
}
