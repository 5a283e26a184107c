// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A function that nothing refers to, and two that only a table refers to.
int known(int number) { return number + 1; }

__attribute__((used, noinline)) static int forgotten(int number) { return number * 7 + 3; }

static int twice(int number) { return 2 * number; }
static int square(int number) { return number * number; }

int chosen(int which, int number) {
  static int (*const functions[])(int) = {twice, square};
  return functions[which & 1](number);
}
