// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define _GNU_SOURCE // pthread_cond_clockwait()
#include "monitor.h"

#include <time.h>

struct Monitor send_monitor = {PTHREAD_MUTEX_INITIALIZER, 0, 0};

void monitor_take(void *self) {
  pthread_mutex_lock(&send_monitor.mutex);
  __atomic_store_n(&send_monitor.owner, self, __ATOMIC_RELAXED);
}

void monitor_give(void) {
  __atomic_store_n(&send_monitor.owner, (void *)0, __ATOMIC_RELAXED);
  pthread_mutex_unlock(&send_monitor.mutex);
}

int monitor_wait(pthread_cond_t *condition, uint32_t milliseconds) {
  const unsigned depth = send_monitor.depth;
  send_monitor.depth = 0;
  __atomic_store_n(&send_monitor.owner, (void *)0, __ATOMIC_RELAXED);
  int failed = 0;
  if (milliseconds == 0) {
    pthread_cond_wait(condition, &send_monitor.mutex);
  } else {
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    const uint64_t nanoseconds = (uint64_t)until.tv_nsec + (uint64_t)milliseconds * 1000000;
    until.tv_sec += (time_t)(nanoseconds / 1000000000);
    until.tv_nsec = (long)(nanoseconds % 1000000000);
    failed = pthread_cond_clockwait(condition, &send_monitor.mutex, CLOCK_MONOTONIC, &until);
  }
  __atomic_store_n(&send_monitor.owner, __builtin_thread_pointer(), __ATOMIC_RELAXED);
  send_monitor.depth = depth;
  return failed == 0;
}
