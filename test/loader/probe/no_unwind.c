// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check.h"

int small_sum(int left, int right);
int applied(int (*function)(int, int), int left, int right);
int twice(int number);

static int product(int left, int right) { return left * right; }

int main(void) {
  CHECK(small_sum(1, 2) == 3);
  CHECK(applied(product, 3, 4) == 13);
  CHECK(twice(21) == 42);
  return wrong_count();
}
