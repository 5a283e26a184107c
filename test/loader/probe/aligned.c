// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check.h"

unsigned long distance_of_data(void), distance_of_code(void), distance_of_thread_data(void);
int value(void);

int main(void) {
  CHECK(distance_of_data() == 0);
  CHECK(distance_of_code() == 0);
  CHECK(distance_of_thread_data() == 0);
  CHECK(value() == 12);
  return wrong_count();
}
