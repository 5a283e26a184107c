// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A library with a function to trace, and with static probes that have a semaphore each: a tracer
// increments it when it attaches.
#define _SDT_HAS_SEMAPHORES 1
#include <stdlib.h>
#include <sys/sdt.h>

#define SEMAPHORE __attribute__((section(".probes"))) unsigned short
SEMAPHORE traced_worked_semaphore;
SEMAPHORE traced_idle_semaphore;

unsigned traced_work(unsigned number);

unsigned traced_work(unsigned number) {
  free(malloc(number + 1));
  if (traced_worked_semaphore > 0)
    DTRACE_PROBE1(traced, worked, number);
  if (traced_idle_semaphore > 0)
    DTRACE_PROBE1(traced, idle, number);
  return number + traced_worked_semaphore;
}
