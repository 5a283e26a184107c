// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file whole_program [OPTIONS]: opens a runtime with all of SQLite in its handler module,
/// activates one variant, and runs a query. OPTIONS are those of sartor_open_with(). Prints the
/// time that opening took on this thread, and the processor time of the first variant, in
/// milliseconds; then the query's result.

#include <stdio.h>
#include <time.h>

#include <sartor/c/sartor.h>

#include "sqlite3.h"

static double milliseconds(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

static int failed(const char *what) {
  fprintf(stderr, "%s: %s\n", what, sartor_last_error());
  return 1;
}

static int print(void *unused, int count, char **values, char **names) {
  (void)unused, (void)names;
  return count == 1 && values[0] ? puts(values[0]) < 0 : 1;
}

int main(int argc, char **argv) {
  const double begin = milliseconds(CLOCK_MONOTONIC);
  sartor_runtime *runtime;
  if (sartor_open_with(argc > 1 ? argv[1] : "{}", &runtime) != SARTOR_OK)
    return failed("open");
  const double open = milliseconds(CLOCK_MONOTONIC) - begin;
  const double before = milliseconds(CLOCK_PROCESS_CPUTIME_ID);
  if (sartor_specialize(runtime, "{\"encoding\": 1}") != SARTOR_OK)
    return failed("specialize");
  printf("%.3f %.3f\n", open, milliseconds(CLOCK_PROCESS_CPUTIME_ID) - before);
  sqlite3 *database;
  char *error = NULL;
  if (sqlite3_open(":memory:", &database) != SQLITE_OK ||
      sqlite3_exec(database,
                   "create table t (a, b text); insert into t values (1, 'x'), (2, 'yy'); create "
                   "trigger r after insert on t begin update t set a = a + 1; end; insert into t "
                   "select a * 3, b || 'z' from t; select group_concat(a || b) from t",
                   print, NULL, &error) != SQLITE_OK) {
    fprintf(stderr, "%s\n", error ? error : "no memory");
    return 1;
  }
  sqlite3_close(database);
  return 0;
}
