// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Opened when threads already run.
static __thread int late_variable = 500;
static __thread int late_zero[1000];

int add_late(int number) {
  late_zero[number] += number;
  return late_variable += late_zero[number];
}
