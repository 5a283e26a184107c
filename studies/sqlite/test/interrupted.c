/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Queries that are interrupted, from within and by another thread; that have a progress handler;
 * that encounter a locked table. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "behaves.h"

static int interrupt_at;
static void at(sqlite3_context *context, int count, sqlite3_value **arguments) {
  (void)count;
  if (sqlite3_value_int(arguments[0]) == interrupt_at)
    sqlite3_interrupt(sqlite3_context_db_handle(context));
  sqlite3_result_value(context, arguments[0]);
}

static atomic_int has_ended;
/* Interrupts a query again and again: a call before the query's first step has no effect. */
static void *interrupt_later(void *db) {
  do {
    usleep(100000);
    sqlite3_interrupt(db);
  } while (!atomic_load(&has_ended));
  return NULL;
}

static int ticks;
static int count_down(void *unused) {
  (void)unused;
  return --ticks < 0;
}

static void locked(void) {
  char path[] = "/tmp/sqlite_behaves_XXXXXX";
  close(mkstemp(path));
  sqlite3 *one;
  sqlite3 *other;
  sqlite3_open(path, &one);
  sqlite3_open(path, &other);
  make_mixed(one, 40);
  sqlite3_stmt *all = prepare(one, "SELECT count(*), sum(a) FROM t WHERE b > 0");
  report_all(all);
  report_all(all);
  run(other, "BEGIN EXCLUSIVE; UPDATE t SET a = 1");
  report_all(all);
  run(other, "COMMIT");
  report_all(all);
  sqlite3_finalize(all);
  sqlite3_close(one);
  sqlite3_close(other);
  unlink(path);
}

void interrupted(void) {
  sqlite3 *db = open_memory();
  make_mixed(db, 100);
  sqlite3_create_function(db, "at", 1, SQLITE_UTF8, NULL, at, NULL, NULL);
  sqlite3_stmt *some = prepare(db, "SELECT at(id) FROM t WHERE a > 3");
  sqlite3_stmt *sum = prepare(db, "SELECT sum(at(id)) FROM t");
  for (int i = 0; i < 4; ++i) {
    interrupt_at = i % 2 ? 0 : 20 + i;
    report_all(some);
    report_all(sum);
  }
  sqlite3_finalize(some);
  sqlite3_finalize(sum);

  sqlite3_stmt *endless =
      prepare(db, "WITH RECURSIVE n(i) AS (SELECT ?1 UNION ALL SELECT i + 1 FROM n WHERE i <> 0) "
                  "SELECT count(*) FROM n");
  sqlite3_bind_int(endless, 1, -1000);
  report_all(endless);
  report_all(endless);
  sqlite3_bind_int(endless, 1, 1);
  pthread_t other;
  pthread_create(&other, NULL, interrupt_later, db);
  report_all(endless);
  atomic_store(&has_ended, 1);
  pthread_join(other, NULL);

  sqlite3_stmt *watched = prepare(db, "SELECT sum(a * b) FROM t");
  report_all(watched);
  report_all(watched);
  for (int i = 0; i < 3; ++i) {
    ticks = 6 - 3 * i;
    sqlite3_progress_handler(db, 100, count_down, NULL);
    report_all(watched);
    printf("  ticks left: %d\n", ticks);
    sqlite3_progress_handler(db, 0, NULL, NULL);
    report_all(watched);
  }
  sqlite3_finalize(endless);
  sqlite3_finalize(watched);
  sqlite3_close(db);
  locked();
}
