/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Several threads with a connection each; child processes after fork(). */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "behaves.h"

enum { connections = 2, runs = 60 };

static const char *const queries[] = {
    "SELECT count(*), sum(a), avg(b) FROM t WHERE a > 10",
    "SELECT a % 4, count(*) FROM t GROUP BY 1",
    "SELECT max(c) FROM t WHERE c < 'x5'",
};

static void *work(void *result) {
  sqlite3 *db = open_memory();
  run(db, "CREATE TABLE t(a INTEGER, b REAL, c TEXT);"
          "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)"
          "INSERT INTO t SELECT i, i / 3.0, 'x' || i % 10 FROM n");
  long long sum = 0;
  for (unsigned q = 0; q < 3; ++q) {
    sqlite3_stmt *statement = prepare(db, queries[q]);
    for (int i = 0; i < runs; ++i) {
      while (sqlite3_step(statement) == SQLITE_ROW)
        sum += sqlite3_column_int64(statement, 0) * 31 + sqlite3_column_bytes(statement, 0);
      sqlite3_reset(statement);
      if (i == runs / 2)
        run(db, "UPDATE t SET a = a + 1; CREATE TABLE more(x); DROP TABLE more");
    }
    sqlite3_finalize(statement);
  }
  sqlite3_close(db);
  *(long long *)result = sum;
  return NULL;
}

void threads(void) {
  pthread_t some[connections];
  long long results[connections];
  for (int i = 0; i < connections; ++i)
    pthread_create(&some[i], NULL, work, &results[i]);
  for (int i = 0; i < connections; ++i) {
    pthread_join(some[i], NULL);
    printf("%lld\n", results[i]);
  }
}

void forked(void) {
  sqlite3 *db = open_memory();
  make_mixed(db, 60);
  sqlite3_stmt *known = prepare(db, queries[0]);
  for (int i = 0; i < 3; ++i)
    report_all(known);
  for (int child = 0; child < 2; ++child) {
    fflush(stdout);
    const pid_t process = fork();
    if (process == 0) {
      report_all(known);
      sqlite3_stmt *fresh = prepare(db, queries[1]);
      for (int i = 0; i < 3; ++i)
        report_all(fresh);
      run(db, "CREATE INDEX t_a ON t(a)");
      report_all(known);
      sqlite3_finalize(known);
      sqlite3_finalize(fresh);
      printf("close: %d\n", sqlite3_close(db));
      exit(0);
    }
    int status = 0;
    waitpid(process, &status, 0);
    printf("child: %d\n", status);
    report_all(known);
  }
  sqlite3_finalize(known);
  sqlite3_close(db);
}
