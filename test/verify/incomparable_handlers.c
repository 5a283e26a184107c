// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "incomparable_handlers.h"

#include <unistd.h>

#include <sartor/points.h>

static volatile long shared;
static long total;

SARTOR_HANDLER long plain(long x, int n) { return x * sartor_enum("plain", n, 1, 2) + 1; }

SARTOR_HANDLER long reads_volatile(long x, int n) {
  return x * sartor_enum("reads_volatile", n, 1, 2) + shared; // line 14
}

SARTOR_UNORDERED SARTOR_HANDLER long marked(long x, int n) {
  return x * sartor_enum("marked", n, 1, 2);
}

SARTOR_HANDLER long asks(long x, int n) {
  return x * sartor_enum("asks", n, 1, 2) + (getppid() > 0);
}

SARTOR_HANDLER void fills(long *to, long count, int n) {
  n = sartor_enum("fills", n, 1, 2);
  for (long i = 0; i < count; ++i)
    to[i] += n * i;
}

SARTOR_HANDLER long counts(long x, int n) {
  return x * sartor_enum("counts", n, 1, 2) + (long)__builtin_ia32_rdtsc();
}

__attribute__((noinline)) static long square(long x) { return x * x; }

SARTOR_HANDLER long remembers(long x) {
  total += x;
  return sartor_fast_path("remembers", square, x);
}
