/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* musl's fputc() reduced to the case of a single thread. */
#include "stdio_impl.h"

int fputc(int c, FILE *f) { return putc_unlocked(c, f); }
