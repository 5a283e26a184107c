/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef SEND_MONITOR_H
#define SEND_MONITOR_H

#include <pthread.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The one lock of the stack. The thread that has it may take it again, for the price of a
 *  comparison; who waits for something within it lets others in meanwhile. */
struct Monitor {
  pthread_mutex_t mutex;
  void *owner;    /**< The thread that has it, by its thread pointer; others read it, too. */
  unsigned depth; /**< How often that has taken it. */
};
extern struct Monitor send_monitor;

/** The ways in and out of a thread that does not have it yet, or has it no longer. */
__attribute__((cold, noinline)) void monitor_take(void *self);
__attribute__((cold, noinline)) void monitor_give(void);

static inline void monitor_enter(void) {
  void *self = __builtin_thread_pointer();
  if (__builtin_expect(__atomic_load_n(&send_monitor.owner, __ATOMIC_RELAXED) != self, 0))
    monitor_take(self);
  ++send_monitor.depth;
}

static inline void monitor_leave(void) {
  if (__builtin_expect(--send_monitor.depth == 0, 0))
    monitor_give();
}

/** Waits within the monitor until `condition` is signalled, for so many milliseconds at most, or
 *  without an end if that is 0. Whether it was signalled in time. */
int monitor_wait(pthread_cond_t *condition, uint32_t milliseconds);

#ifdef __cplusplus
}
#endif

#endif
