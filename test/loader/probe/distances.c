// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Libraries that would access foreign data if their data moved away from their code.
#include "tables.h"

// Functions of test/load/subjects/distances.S.
long distance_1(long), distance_2(long), distance_3(void), distance_4(long), distance_5(long),
    distance_6(void), distance_7(void), distance_8(void), distance_9(long), distance_10(long),
    distance_11(long), distance_12(long), distance_13(long), distance_14(long), distance_15(long),
    distance_16(long), distance_17(long), distance_18(long), distance_19(void), distance_20(long),
    distance_21(long), distance_22(void);
// A function of test/load/subjects/virtual_tables.cpp.
void *virtual_subject_make(int which);
int virtual_subject_call(const void *);

int main(void) {
  for (long i = 0; i < 2; ++i) {
    const long value = 11 * (i + 1);
    CHECK(distance_1(i) == value);
    CHECK((int)distance_2(i) == 10 + i);
    CHECK(distance_4(i) == value);
    CHECK(distance_5(i) == i + 1);
    CHECK(distance_9(i) == value);
    CHECK((int)distance_10(i) == 10 + i);
    CHECK(distance_11(i) == value);
    CHECK(distance_12(i) == value);
    CHECK(distance_13(i) == value);
    CHECK(distance_14(i) == value);
    CHECK(distance_15(i) == value);
    CHECK(distance_17(i) == value);
    CHECK(distance_18(i) == value);
    CHECK(distance_20(i) == value);
    CHECK(distance_21(i) == value);
  }
  CHECK(distance_3() == 33);
  CHECK(distance_6() == 11 && distance_7() == 11 && distance_8() == 11);
  CHECK(distance_22() == 11);
  CHECK(distance_16(1) == 22 && distance_19() == 22);
  check_tables();
  void *derived = virtual_subject_make(0), *second = virtual_subject_make(1);
  CHECK(virtual_subject_call(derived) == 5 && virtual_subject_call(second) == 5);
  return wrong_count();
}
