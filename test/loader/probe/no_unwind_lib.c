// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Built without unwind information.
int small_sum(int left, int right) { return left + right; }
int applied(int (*function)(int, int), int left, int right) { return function(left, right) + 1; }
int twice(int number) { return applied(small_sum, number, number) - 1; }
