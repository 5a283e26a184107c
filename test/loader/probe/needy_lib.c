// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// None of its own libraries defines this function: only a library that was opened with RTLD_GLOBAL
// does.
int count(void);

int count_by_two(void) { return count() + 1; }
