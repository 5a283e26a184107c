// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
static int counted;

int count(void) { return ++counted; }
