// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
int f(void) {
  static int count = 5;
  return ++count;
}
