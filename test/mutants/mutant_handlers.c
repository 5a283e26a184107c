/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "mutant_handlers.h"

#include <fcntl.h>
#include <string.h>

#include <sartor/points.h>

long outside(long one, long other);
void seen(long *value);

/* The shape of each result is the same: a hash of what the handler computes. */
SARTOR_HANDLER long numbers(const struct Table *table, long a, long b) {
  const int narrow = (int)(a * 77 - b * 1000003);
  const unsigned masked = (unsigned)a & 0xf0f3U;
  const long shifted = (b << (a & 7)) + (a >> 3);
  long chosen = a < b ? a * 3 : b - 5;
  return (long)narrow * 7 + masked + shifted + chosen + table->scale - (short)(a + b) - (b - a * b);
}

SARTOR_HANDLER long control(const struct Table *table, long a, long b) {
  long sum = table->scale;
  for (long i = 0; i < (b & 63); ++i) {
    sum = outside(sum, i);
    if (sum % 3 == 0)
      sum = outside(sum + 5, a);
  }
  long tag = 3;
  if (a & 4)
    sum = outside(outside(sum, b), a);
  else
    tag = 5;
  return sum * tag;
}

SARTOR_HANDLER long memory(const struct Table *table, long a, long b) {
  long values[16];
  char copy[120];
  char *const out = table->out;
  for (int i = 0; i < 16; ++i)
    values[i] = a * i;
  seen(values);
  values[b & 15] = b;
  seen(values);
  memset(out, (int)a, 120);
  out[b & 7] = 1;
  out[a & 7] = 2;
  const long read = out[b & 7] * 100;
  memcpy(copy, values, 120);
  long sum = read;
  for (int i = 0; i < 120; ++i)
    sum = sum * 3 + copy[i] + out[i];
  return sum + (table->limit > 9 ? 4 : 3);
}

SARTOR_HANDLER long floats(const struct Table *table, long a, long b) {
  const double x = (double)a * 0.5 + (double)b;
  return (long)(x * 1024.0 + table->scale);
}

SARTOR_HANDLER long lanes(const struct Table *table, long a, long b) {
  long sum = a - b;
  unsigned *const cells = (unsigned *)table->out;
  for (int i = 0; i < 16; ++i)
    cells[i] = cells[i] * 5 + (unsigned)a;
  for (int i = 0; i < 16; ++i)
    sum = sum * 31 + cells[i];
  return sum;
}

SARTOR_HANDLER long guarded(const struct Table *table, long a, long b) {
  const long mode = sartor_generic("mode", a);
  return mode * b + mode * table->scale;
}

SARTOR_HANDLER long choice(const struct Table *table, long a, long b) {
  if (a < b) {
    table->out[0] = 9;
    return a;
  }
  return b * table->scale;
}

/* The place of the variable is up to the compiler. */
SARTOR_HANDLER long keeps(const struct Table *table, long a, long b) {
  volatile long values[16];
  volatile long *volatile first = values;
  values[b & 15] = a;
  memcpy(table->out + 8, (const void *)&first, sizeof first);
  return values[b & 15] + table->scale;
}

/* Allowed in a program, and not where calls are repeated. */
SARTOR_HANDLER long opens(const struct Table *table, long a, long b) {
  char path[3]; /* not a constant of the program, which would have to be recorded */
  path[0] = '/';
  path[1] = '.';
  path[2] = 0;
  return (open(path, O_RDONLY) < 0) * 1000 + table->scale + a - b;
}
