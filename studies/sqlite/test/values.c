/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Results of queries with values of all types. */
#include <stdio.h>

#include "behaves.h"

void values(void) {
  static const char *const queries[] = {
      "SELECT count(*), sum(a), total(a), avg(b), min(c), max(d), sum(d) FROM t",
      "SELECT id, a + b, a - b, a * 2, a / 3, b / a, a % 7, -a FROM t WHERE a > 10 AND b < 100",
      "SELECT id FROM t WHERE d > 0",
      "SELECT id FROM t WHERE d > '0'",
      "SELECT id FROM t WHERE d < c OR d = b",
      "SELECT id FROM t WHERE c = 10 OR a = '10' OR b >= '5.5'",
      "SELECT id FROM t WHERE a IS d OR c IS NOT d",
      "SELECT id FROM t WHERE a IS NULL OR b IS NOT NULL AND c ISNULL",
      "SELECT count(*) FROM t WHERE c = 'X10' COLLATE NOCASE OR c < 'x2' COLLATE RTRIM",
      "SELECT id, c || '-' || a || b FROM t WHERE id % 9 = 0",
      "SELECT id, a & 255, a | 1, a << 3, a >> 2, ~a, NOT a FROM t WHERE id < 30",
      "SELECT sum(a * 1000000000) FROM t WHERE a < 1000",
      "SELECT sum(a * 4000000000 * 4000000000) FROM t",
      "SELECT sum(9223372036854775807 - (id - 1)) FROM t WHERE id < 2",
      "SELECT sum(9223372036854775807 - (id - 1)) FROM t WHERE id < 4",
      ("SELECT 9223372036854775807 + id, -9223372036854775807 - id, 1e308 * 10 - 1e308 * 10 FROM t "
       "WHERE id < 3"),
      "SELECT 5 / 0, 5 % 0, 5.5 / 0, (0 - 9223372036854775807 - 1) / -1 FROM t WHERE id < 2",
      "SELECT CASE WHEN a > b THEN 'more' WHEN a < b THEN 'less' ELSE c END FROM t WHERE id < 60",
      "SELECT id, typeof(d), length(d), upper(c), abs(b), coalesce(a, b, c) FROM t WHERE id < 60",
      "SELECT id FROM t WHERE c LIKE 'x1%' OR c GLOB 'Y*2' OR a BETWEEN 5 AND 50",
      "SELECT id FROM t WHERE a IN (1, 2, 3, 100, 200) OR c IN (SELECT c FROM t WHERE id < 5)",
      "SELECT cast(c AS INTEGER), cast(a AS TEXT), cast(d AS REAL), cast(b AS INTEGER) FROM t",
      "SELECT id FROM t WHERE (a, b) < (50, 10) ORDER BY id LIMIT 5 OFFSET 3",
      "SELECT id, a < 1.5, b > 2, a = b, d >= 10, 3 < 3.5 FROM t WHERE id < 80",
      "SELECT d FROM t WHERE d >= x'78' ORDER BY d",
  };
  sqlite3 *db = open_memory();
  make_mixed(db, 120);
  for (unsigned i = 0; i < sizeof queries / sizeof *queries; ++i)
    report(db, queries[i], 2);
  run(db, "ALTER TABLE t ADD COLUMN e DEFAULT 'late'; ALTER TABLE t ADD COLUMN f AS (a + 1)");
  report(db, "SELECT id, e, f FROM t WHERE e = 'late' AND f > 5", 2);
  sqlite3_close(db);

  db = open_memory();
  run(db, "PRAGMA encoding = 'UTF-16le'");
  make_mixed(db, 60);
  report(db, "SELECT c, d, c || 'é' FROM t WHERE c > 'x2' AND d <> 'é' ORDER BY c", 2);
  sqlite3_close(db);
}
