/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * sqlite_statements: executes the lines of its input with a database in memory, and prints all
 * results.
 *
 *     p SLOT SQL             prepares a statement in a slot (0 to 15), replacing the previous one
 *     r SLOT VALUE VALUE...  binds values to its parameters; runs it to the end, or for 500 rows
 *     c SLOT                 runs it again with the values that are bound
 *
 * A value is `n`, `i` and a whole number, `d` and a number, or `t` or `b` and bytes in hexadecimal.
 */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { slots = 16, most_rows = 500 };

static sqlite3 *db;
static sqlite3_stmt *statements[slots];

static void report_value(sqlite3_stmt *statement, int column) {
  const int type = sqlite3_column_type(statement, column);
  if (type == SQLITE_NULL) {
    printf(" n");
    return;
  }
  if (type == SQLITE_INTEGER) {
    printf(" i%lld", sqlite3_column_int64(statement, column));
    return;
  }
  if (type == SQLITE_FLOAT) {
    printf(" d%a", sqlite3_column_double(statement, column));
    return;
  }
  const unsigned char *bytes = sqlite3_column_blob(statement, column);
  const int size = sqlite3_column_bytes(statement, column);
  printf(type == SQLITE_TEXT ? " t" : " b");
  for (int i = 0; i < size; ++i)
    printf("%02x", bytes[i]);
}

static void run(sqlite3_stmt *statement) {
  int rc = SQLITE_ROW;
  for (int row = 0; row < most_rows && (rc = sqlite3_step(statement)) == SQLITE_ROW; ++row) {
    for (int column = 0; column < sqlite3_column_count(statement); ++column)
      report_value(statement, column);
    printf("\n");
  }
  printf("  %d %s, %d changed, last row %lld", rc, rc == SQLITE_ROW ? "" : sqlite3_errmsg(db),
         sqlite3_changes(db), sqlite3_last_insert_rowid(db));
  printf(", reset %d, %d steps\n", sqlite3_reset(statement),
         sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_VM_STEP, 0));
}

static unsigned char *bytes_of(const char *digits, int *size) {
  static unsigned char bytes[5000];
  for (*size = 0; *size < (int)sizeof bytes && digits[0] && digits[1]; digits += 2) {
    const char one[] = {digits[0], digits[1], '\0'};
    bytes[(*size)++] = (unsigned char)strtoul(one, NULL, 16);
  }
  return bytes;
}

static void bind(sqlite3_stmt *statement, int number, const char *value) {
  int size;
  const unsigned char *bytes = bytes_of(value + 1, &size);
  if (*value == 'i')
    sqlite3_bind_int64(statement, number, strtoll(value + 1, NULL, 10));
  else if (*value == 'd')
    sqlite3_bind_double(statement, number, strtod(value + 1, NULL));
  else if (*value == 't')
    sqlite3_bind_text(statement, number, (const char *)bytes, size, SQLITE_TRANSIENT);
  else if (*value == 'b')
    sqlite3_bind_blob(statement, number, bytes, size, SQLITE_TRANSIENT);
  else
    sqlite3_bind_null(statement, number);
}

static void prepare(int slot, const char *sql) {
  sqlite3_finalize(statements[slot]);
  if (sqlite3_prepare_v2(db, sql, -1, &statements[slot], NULL))
    printf("  not prepared: %s\n", sqlite3_errmsg(db));
}

int main(void) {
  static char line[100000];
  if (sqlite3_open(":memory:", &db))
    return EXIT_FAILURE;
  for (int number = 1; fgets(line, sizeof line, stdin); ++number) {
    line[strcspn(line, "\n")] = 0;
    char *rest;
    const long slot = strlen(line) > 2 ? strtol(line + 2, &rest, 10) : -1;
    if (slot < 0 || slot >= slots)
      return EXIT_FAILURE;
    printf("%d:\n", number);
    fflush(stdout); /* so that it is visible where a run has ended */
    if (*line == 'p') {
      prepare((int)slot, rest + strspn(rest, " "));
      continue;
    }
    if (!statements[slot])
      continue;
    int parameter = 0;
    if (*line == 'r')
      for (char *value = strtok(rest, " "); value; value = strtok(NULL, " "))
        bind(statements[slot], ++parameter, value);
    run(statements[slot]);
  }
  for (int slot = 0; slot < slots; ++slot)
    sqlite3_finalize(statements[slot]);
  return sqlite3_close(db);
}
