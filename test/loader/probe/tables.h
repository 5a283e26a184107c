// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_PROBE_TABLES_H
#define SARTOR_LOADER_PROBE_TABLES_H

#include <string.h>

#include "check.h"

// Definitions of test/load/subjects/tables.c.
extern int table_subject_exported;
const char *table_subject_chosen(int row, int column);
const char *table_subject_name(int which);
int *table_subject_place(int which);
int table_subject_jump(int which, int by);
int table_subject_goto(const char *code, int by);
double table_subject_sum(int from);

static inline void check_tables(void) {
  for (int row = 0; row < 4; ++row)
    for (int column = 0; column < 2; ++column) {
      const char expected[] = {(char)('a' + row), (char)('1' + column), 0};
      CHECK(strcmp(table_subject_chosen(row, column), expected) == 0);
    }
  CHECK(strcmp(table_subject_name(4), "four") == 0 && strcmp(table_subject_name(9), "?") == 0);
  CHECK(table_subject_goto("\1\1\2\3", 1) == 4);
  CHECK(table_subject_place(1) - table_subject_place(0) == 3);
  CHECK(*table_subject_place(2) == table_subject_exported && table_subject_exported == 7);
  CHECK(table_subject_jump(0, 1) == 1 && table_subject_jump(1, 5) == 3);
  CHECK(*table_subject_place(3) == 3);
  CHECK(table_subject_jump(2, 3) == 2 && table_subject_jump(5, 9) == 3);
  CHECK(table_subject_jump(3, 6) == 42 && table_subject_jump(6, 4) == 2);
  CHECK(table_subject_sum(5) == 1e9 * 0x10000 + 3);
}

#endif
