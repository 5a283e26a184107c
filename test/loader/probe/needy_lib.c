// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// No library of its own defines this: only what was opened with RTLD_GLOBAL does.
int count(void);

int count_by_two(void) { return count() + 1; }
