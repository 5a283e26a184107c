// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code for which compilers make tables: of distances, of addresses, of numbers.
#include <string.h>

static const char *const first[] = {"a1", "a2"}, *const second[] = {"b1", "b2"},
                         *const third[] = {"c1", "c2"}, *const fourth[] = {"d1", "d2"};
static int large[200000];
static int counts[8];
static _Thread_local int per_thread[4];
int table_subject_exported = 7;

// clang makes a read-only table of distances to arrays that are writable until relocation; not if
// it is used in several places.
__attribute__((noinline)) const char *table_subject_chosen(int row, int column) {
  static const char *const *const rows[] = {first, second, third, fourth};
  return rows[row][column];
}

const char *table_subject_name(int which) {
  switch (which) {
  case 0:
    return "zero";
  case 1:
    return "one";
  case 2:
    return "two";
  case 3:
    return "three";
  case 4:
    return "four";
  case 5:
    return "five";
  default:
    return "?";
  }
}

int *table_subject_place(int which) {
  switch (which) {
  case 0:
    return &counts[0];
  case 1:
    return &counts[3];
  case 2:
    return &table_subject_exported;
  case 3:
    return &large[5];
  case 4:
    return &counts[6];
  default:
    return 0;
  }
}

int table_subject_jump(int which, int by) {
  switch (which) {
  case 0:
    counts[1] += by;
    return counts[by & 7];
  case 1:
    large[by & 0xffff] += 3;
    return large[by];
  case 2:
    return (int)strlen(table_subject_chosen(by, 1));
  case 3:
    table_subject_exported = by;
    return by * 7;
  case 4:
    return per_thread[by & 3]++;
  case 5:
    memset(counts, by, sizeof counts);
    return by / 3;
  case 6:
    return table_subject_exported - by;
  default:
    return -1;
  }
}

int table_subject_goto(const char *code, int by) {
  static const int to[] = {0, (int)(&&twice - &&once), (int)(&&changed - &&once),
                           (int)(&&done - &&once)};
  const void *next = (const char *) && once;
  goto *next;
once:
  by += counts[by & 7];
  goto *(const void *)((const char *) && once + to[*code++ & 3]);
twice:
  by *= 2;
  goto *(const void *)((const char *) && once + to[*code++ & 3]);
changed:
  counts[0] = by;
  goto *(const void *)((const char *) && once + to[*code++ & 3]);
done:
  return by;
}

double table_subject_sum(int from) {
  static const double numbers[] = {1.5, 2.5, 3.25, 4.125, 100, 1e9};
  static const unsigned masks[] = {0x10000, 0x2000, 0x3f000, 0x3e48, 0x3db8};
  double sum = 0;
  for (int i = from; i < 6; ++i)
    sum += numbers[i] * masks[i % 5];
  return sum + large[from];
}
