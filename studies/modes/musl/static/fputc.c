/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is left of musl's fputc() where there is one thread. */
#include "stdio_impl.h"

int fputc(int c, FILE *f) { return putc_unlocked(c, f); }
