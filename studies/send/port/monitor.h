/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef SEND_MONITOR_H
#define SEND_MONITOR_H

#include <pthread.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The lock of the whole stack. It is recursive, at the cost of a comparison; a thread that
 * waits for an event inside it releases it meanwhile. */
struct Monitor {
  pthread_mutex_t mutex;
  void *owner;    /**< The owner's thread pointer; other threads read it, too. */
  unsigned depth; /**< How often the owner has taken it. */
};
extern struct Monitor send_monitor;

/** The slow paths: taking it from another thread, and releasing it completely. */
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

/** Waits within the monitor until `condition` is signalled, at most so many milliseconds, or
 * without a limit if that is 0. Returns whether it was signalled in time. */
int monitor_wait(pthread_cond_t *condition, uint32_t milliseconds);

#ifdef __cplusplus
}
#endif

#endif
