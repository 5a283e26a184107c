// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file PROGRAM SECONDS WORD...: does the work that the words describe for so many seconds. The
/// first half is warm-up. Prints the units of work per second of the working thread's processor
/// time and per second that passed, both in the second half; the number of units in that half; the
/// hash and the value of the result; the processor time of the process, in seconds, and its
/// resident memory, in KiB, both at the end. Ends with status 1 if a result differs from the first
/// one.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <sys/resource.h>

#include "work.h"

static double seconds_of(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}
static double now(void) { return seconds_of(CLOCK_MONOTONIC); }

static struct sum result(void) {
  struct sum sum = {0xcbf29ce484222325, 0};
  work_sum(&sum);
  return sum;
}

static void check(struct sum first) {
  if (result().hash == first.hash)
    return;
  fprintf(stderr, "A result differs from that of the first run.\n");
  exit(1);
}

static long work(long units) {
  for (long i = 0; i < units; ++i)
    work_run();
  return units;
}

/// Works until `end`, and returns the number of units. The clock is read about once in 5 ms.
static long work_until(double end, long *batch) {
  long units = 0;
  for (double before = now(); before < end;) {
    units += work(*batch);
    const double after = now();
    if (after - before < 2.5e-3)
      *batch *= 2;
    else if (after - before > 1e-2 && *batch > 1)
      *batch /= 2;
    before = after;
  }
  return units;
}

static double processor_time(int who) {
  struct rusage usage;
  getrusage(who, &usage);
  return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static long resident_kib(void) {
  long size = 0;
  long resident = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file || fscanf(file, "%ld %ld", &size, &resident) != 2)
    resident = 0;
  if (file)
    fclose(file);
  return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

int main(int count, char **words) {
  const double seconds = count > 2 ? strtod(words[1], NULL) : 0;
  if (seconds <= 0 || !work_begin(count - 2, words + 2)) {
    fprintf(stderr, "usage: %s SECONDS WORD...\n", words[0]);
    return 2;
  }
  const struct sum first = result();
  const double begin = now();
  const double middle = begin + seconds / 2;
  long batch = 1;
  for (double until = begin; until < middle;) { // results are compared while variants are tried
    until += 0.1;
    work_until(until < middle ? until : middle, &batch);
    check(first);
  }
  const double began = now();
  const double cpu = seconds_of(CLOCK_THREAD_CPUTIME_ID);
  const long units = work_until(began + seconds / 2, &batch);
  const double cpu_taken = seconds_of(CLOCK_THREAD_CPUTIME_ID) - cpu;
  const double taken = now() - began;
  check(first);
  printf("%.9g %.9g %ld %016llx %.17g %.6f %ld\n", (double)units / cpu_taken, (double)units / taken,
         units, (unsigned long long)first.hash, first.value,
         processor_time(RUSAGE_SELF) + processor_time(RUSAGE_CHILDREN), resident_kib());
  return 0;
}
