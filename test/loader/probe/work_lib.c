// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define _GNU_SOURCE
#include "work.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int work_calls;

static int by_value(const void *left, const void *right) {
  const double a = *(const double *)left;
  const double b = *(const double *)right;
  return (a > b) - (a < b);
}

unsigned long work(unsigned seed) {
  enum { count = 500 };
  double *values = malloc(count * sizeof *values);
  char text[64];
  unsigned long sum = 0;
  for (int i = 0; i < count; ++i)
    values[i] = floor(1000 * (1 + sin(seed + i)));
  qsort(values, count, sizeof *values, by_value);
  for (int i = 0; i < count; i += 7) {
    snprintf(text, sizeof text, "%.0f-%d", values[i], i);
    for (const char *c = text; *c; ++c)
      sum = sum * 31 + (unsigned char)*c;
    sum += strlen(text);
  }
  free(values);
  __atomic_add_fetch(&work_calls, 1, __ATOMIC_RELAXED);
  return sum;
}

unsigned long work_with(unsigned long (*callback)(void *), void *data) {
  const unsigned long before = work(1);
  return callback(data) + before - work(1);
}

void work_waits(int handle) {
  char byte;
  while (read(handle, &byte, 1) < 0)
    continue;
  ++work_calls;
}

unsigned long work_spins(int milliseconds) {
  struct timespec now;
  unsigned long sum = 0;
  do {
    for (unsigned i = 0; i < 100; ++i)
      sum += work(i);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  } while (now.tv_sec * 1000 + now.tv_nsec / 1000000 < milliseconds);
  return sum;
}
