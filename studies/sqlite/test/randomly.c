/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Randomly generated queries. */
#include <stdio.h>
#include <string.h>

#include "behaves.h"

enum { queries = 30 };

static char text[20000];
static void put(const char *more) {
  if (strlen(text) + strlen(more) < sizeof text)
    strcat(text, more);
}

static void put_leaf(void) {
  static const char *const leaves[] = {"a",
                                       "b",
                                       "c",
                                       "d",
                                       "id",
                                       "NULL",
                                       "0",
                                       "1",
                                       "-3",
                                       "2.5",
                                       "'x1'",
                                       "'7'",
                                       "x'31'",
                                       "100",
                                       "''",
                                       "a + 0",
                                       "b + 0",
                                       "c || ''",
                                       "9223372036854775807"};
  put(leaves[below(sizeof leaves / sizeof *leaves)]);
}

static void put_expression(unsigned depth) {
  static const char *const operators[] = {" + ",  " - ",
                                          " * ",  " / ",
                                          " % ",  " < ",
                                          " <= ", " > ",
                                          " >= ", " = ",
                                          " <> ", " AND ",
                                          " OR ", " & ",
                                          " | ",  " || ",
                                          " IS ", " IS NOT ",
                                          " << ", " < ",
                                          " > ",  " COLLATE NOCASE < "};
  if (depth == 0) {
    put_leaf();
    return;
  }
  put("(");
  switch (below(10)) {
  case 0:
    put("CASE WHEN ");
    put_expression(depth - 1);
    put(" THEN ");
    put_leaf();
    put(" ELSE ");
    put_expression(depth - 1);
    put(" END");
    break;
  case 1:
    put("coalesce(");
    put_expression(depth - 1);
    put(", ");
    put_leaf();
    put(")");
    break;
  case 2:
    put_expression(depth - 1);
    put(" IS NULL");
    break;
  default:
    put_expression(depth - 1);
    put(operators[below(sizeof operators / sizeof *operators)]);
    put_expression(below(depth));
  }
  put(")");
}

void randomly(void) {
  static const char *const aggregates[] = {"sum", "count", "avg", "min", "max", "total"};
  sqlite3 *db = open_memory();
  make_mixed(db, 80);
  run(db, "CREATE INDEX t_c ON t(c); CREATE INDEX t_d ON t(d, a)");
  for (int i = 0; i < queries; ++i) {
    strcpy(text, "SELECT ");
    const int aggregates_too = below(2) == 0;
    for (int column = 0; column < 2; ++column) {
      if (aggregates_too) {
        put(aggregates[below(6)]);
        put("(");
      }
      put_expression(1 + below(2));
      put(aggregates_too ? "), " : ", ");
    }
    put(aggregates_too ? "count(*) FROM t WHERE " : "id FROM t WHERE ");
    put_expression(1 + below(3));
    if (below(3) == 0)
      put(aggregates_too ? " GROUP BY c" : " ORDER BY d, id");
    report(db, text, 2);
  }
  sqlite3_close(db);
}
