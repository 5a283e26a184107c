/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The elements of SQLite programs: subroutines, coroutines, sorters, indexes, several tables,
 * writing. */
#include "behaves.h"

void programs(void) {
  static const char *const queries[] = {
      "SELECT a % 5, count(*), sum(b), max(c) FROM t GROUP BY a % 5 ORDER BY 2 DESC, 1",
      "SELECT c, count(*) FROM t GROUP BY c HAVING count(*) > 2",
      "SELECT DISTINCT a % 7, c FROM t ORDER BY c DESC, 1 LIMIT 20",
      "SELECT id FROM t ORDER BY b DESC NULLS LAST, id LIMIT 10",
      "SELECT id FROM t ORDER BY a DESC, b, c, id",
      "SELECT id FROM t ORDER BY d, c DESC, id",
      "SELECT id FROM t ORDER BY c COLLATE NOCASE, b DESC, id",
      "SELECT id FROM t WHERE a > 0 ORDER BY a % 3, a, id DESC",
      "SELECT id FROM t WHERE b > 0 ORDER BY b DESC, c || c || c",
      "SELECT x.id, y.id FROM t x, t y WHERE x.a = y.id AND x.b > 0",
      "SELECT x.id, y.b FROM t x LEFT JOIN t y ON y.id = x.a AND y.b > 20 WHERE x.id < 40",
      "SELECT x.id FROM t x JOIN i y ON y.a = x.id WHERE y.c > 'x2' ORDER BY y.c, x.id",
      "SELECT a, c FROM i WHERE a = 7 OR c = 'x3' OR a BETWEEN 20 AND 25",
      "SELECT a FROM i WHERE a > 10 ORDER BY a DESC LIMIT 7",
      "SELECT k, v FROM w WHERE k > 'b5' ORDER BY k",
      ("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200) SELECT "
       "sum(i), "
       "count(*) FROM n WHERE i % 3"),
      ("WITH RECURSIVE n(i, j) AS (VALUES(1, 1) UNION SELECT i + 1, i * j % 1000 FROM n WHERE i < "
       "20) "
       "SELECT * FROM n"),
      "SELECT * FROM (SELECT id, a FROM t WHERE a > 5 LIMIT 9) JOIN (SELECT max(b) FROM t)",
      "SELECT id, (SELECT count(*) FROM t y WHERE y.a < t.a) FROM t WHERE id < 20",
      "SELECT id FROM t WHERE EXISTS (SELECT 1 FROM i WHERE i.a = t.a) AND id < 100",
      "SELECT id FROM t WHERE id < 30 UNION SELECT a FROM i EXCEPT SELECT 3 ORDER BY 1 LIMIT 15",
      ("SELECT id, sum(b) OVER (ORDER BY id ROWS 3 PRECEDING), rank() OVER (ORDER BY a) FROM t "
       "WHERE "
       "id < 30"),
      "SELECT group_concat(c, ','), count(DISTINCT a), sum(DISTINCT a) FROM t WHERE id < 30",
      "SELECT sum(b) FILTER (WHERE a > 10), avg(a) FROM t",
      "UPDATE t SET b = b + 1 WHERE a > 20",
      "INSERT INTO i SELECT a + 1, c FROM i WHERE a < 5",
      "DELETE FROM i WHERE a = 3",
      "INSERT INTO w VALUES('b10', 1) ON CONFLICT(k) DO UPDATE SET v = v + 1 RETURNING v",
      "SELECT sum(b), (SELECT count(*) FROM i), (SELECT sum(v) FROM w) FROM t",
      "INSERT INTO w VALUES('b10', 1)",
  };
  sqlite3 *db = open_memory();
  make_mixed(db, 150);
  run(db,
      "CREATE TABLE i(a INTEGER, c TEXT); CREATE INDEX i_a ON i(a); CREATE INDEX i_c ON i(c, a);"
      "INSERT INTO i SELECT id % 40, 'x' || id % 9 FROM t;"
      "CREATE TABLE w(k TEXT PRIMARY KEY, v) WITHOUT ROWID;"
      "INSERT INTO w SELECT 'b' || id, id FROM t WHERE id < 60;");
  for (unsigned i = 0; i < sizeof queries / sizeof *queries; ++i)
    report(db, queries[i], 2);
  sqlite3_close(db);
}
