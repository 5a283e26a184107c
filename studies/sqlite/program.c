/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** sqlite_run make DATABASE ORDERS: makes the tables. sqlite_run DATABASE QUERY TIMES: runs a
 * query of queries/ some times, and then once for each line of input. Prints the result once,
 * and the processor time of each further run in seconds. A query with a parameter is run with
 * many values of it. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "data.h"

enum { values = 20000 };

static sqlite3 *db;

static void fail(const char *what) {
  fprintf(stderr, "sqlite_run: %s: %s\n", what, sqlite3_errmsg(db));
  exit(EXIT_FAILURE);
}

static char *read_file(const char *path) {
  static char text[10000];
  FILE *in = fopen(path, "r");
  if (!in)
    fail(path);
  text[fread(text, 1, sizeof text - 1, in)] = 0;
  fclose(in);
  return text;
}

/* The result of a run. */
typedef struct Result {
  uint64_t hash;
  long rows;
} Result;

static void hash(Result *result, const void *data, size_t size) {
  for (size_t i = 0; i < size; ++i)
    result->hash = (result->hash ^ ((const unsigned char *)data)[i]) * 1099511628211U;
}

static void hash_row(Result *result, sqlite3_stmt *statement) {
  ++result->rows;
  for (int i = 0; i < sqlite3_column_count(statement); ++i) {
    const int type = sqlite3_column_type(statement, i);
    hash(result, &type, sizeof type);
    if (type == SQLITE_INTEGER) {
      const sqlite3_int64 value = sqlite3_column_int64(statement, i);
      hash(result, &value, sizeof value);
    } else if (type == SQLITE_FLOAT) {
      const double value = sqlite3_column_double(statement, i);
      hash(result, &value, sizeof value);
    } else if (type != SQLITE_NULL)
      hash(result, sqlite3_column_blob(statement, i), (size_t)sqlite3_column_bytes(statement, i));
  }
}

static void run_once(Result *result, sqlite3_stmt *statement) {
  int rc;
  while ((rc = sqlite3_step(statement)) == SQLITE_ROW)
    hash_row(result, statement);
  if (rc != SQLITE_DONE)
    fail("step");
  sqlite3_reset(statement);
}

static Result run(sqlite3_stmt *statement, int orders) {
  Result result = {14695981039346656037U, 0};
  if (sqlite3_bind_parameter_count(statement) == 0)
    run_once(&result, statement);
  else
    for (unsigned i = 0; i < values; ++i) {
      sqlite3_bind_int(statement, 1, 1 + (int)(i * 2654435761U % (unsigned)orders));
      run_once(&result, statement);
    }
  return result;
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static int count_orders(void) {
  sqlite3_stmt *statement;
  if (sqlite3_prepare_v2(db, "SELECT max(o_orderkey) FROM orders", -1, &statement, NULL) ||
      sqlite3_step(statement) != SQLITE_ROW)
    fail("orders");
  const int orders = sqlite3_column_int(statement, 0);
  sqlite3_finalize(statement);
  return orders;
}

int main(int argc, char **argv) {
  char line[100];
  sqlite3_stmt *statement;
  if (argc != 4) {
    fprintf(stderr, "usage: sqlite_run make DATABASE ORDERS | DATABASE QUERY TIMES\n");
    return EXIT_FAILURE;
  }
  const int makes = strcmp(argv[1], "make") == 0;
  if (sqlite3_open(argv[makes ? 2 : 1], &db))
    fail("open");
  if (makes) {
    make_data(db, (int)strtol(argv[3], NULL, 10));
    sqlite3_close(db);
    return 0;
  }
  sqlite3_exec(db, "PRAGMA cache_size=-400000", NULL, NULL, NULL);
  sqlite3_exec(db, "BEGIN", NULL, NULL, NULL); /* otherwise file locking would dominate a lookup */
  const int orders = count_orders();
  if (sqlite3_prepare_v2(db, read_file(argv[2]), -1, &statement, NULL))
    fail(argv[2]);
  Result result = run(statement, orders);
  for (int i = 1; i < (int)strtol(argv[3], NULL, 10); ++i)
    if (run(statement, orders).hash != result.hash)
      fail("another result");
  printf("%016llx %ld\n", (unsigned long long)result.hash, result.rows);
  fflush(stdout);
  while (fgets(line, sizeof line, stdin)) {
    const double began = seconds();
    const Result again = run(statement, orders);
    printf("%.6f\n", seconds() - began);
    fflush(stdout);
    if (again.hash != result.hash)
      fail("another result");
  }
  sqlite3_finalize(statement);
  sqlite3_close(db);
  return 0;
}
