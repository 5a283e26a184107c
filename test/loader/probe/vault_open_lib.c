// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
static long count;

long opened(void) { return ++count; }
