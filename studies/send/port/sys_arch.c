// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// lwIP's system layer: semaphores, mailboxes, threads, time. All run within the monitor.
#define _GNU_SOURCE // pthread_cond_clockwait()
#include <stdlib.h>
#include <time.h>

#include <lwip/sys.h>

#include "clock.h"

void sys_init(void) {}

err_t sys_mutex_new(sys_mutex_t *mutex) {
  *mutex = true;
  return ERR_OK;
}
void sys_mutex_free(sys_mutex_t *mutex) { *mutex = false; }
void sys_mutex_lock(sys_mutex_t *mutex) {
  (void)mutex;
  monitor_enter();
}
void sys_mutex_unlock(sys_mutex_t *mutex) {
  (void)mutex;
  monitor_leave();
}

err_t sys_sem_new(sys_sem_t *semaphore, u8_t count) {
  pthread_cond_init(&semaphore->signalled, NULL);
  semaphore->count = count;
  semaphore->valid = true;
  return ERR_OK;
}
void sys_sem_free(sys_sem_t *semaphore) { pthread_cond_destroy(&semaphore->signalled); }

void sys_sem_signal(sys_sem_t *semaphore) {
  monitor_enter();
  ++semaphore->count;
  pthread_cond_signal(&semaphore->signalled);
  monitor_leave();
}

u32_t sys_arch_sem_wait(sys_sem_t *semaphore, u32_t milliseconds) {
  monitor_enter();
  bool in_time = true;
  while (semaphore->count == 0 && in_time)
    in_time = monitor_wait(&semaphore->signalled, milliseconds);
  const bool had = semaphore->count > 0;
  semaphore->count -= had ? 1 : 0;
  monitor_leave();
  return had ? 0 : SYS_ARCH_TIMEOUT;
}

err_t sys_mbox_new(sys_mbox_t *box, int size) {
  box->messages = (void **)malloc((size_t)size * sizeof *box->messages);
  if (box->messages == NULL)
    return ERR_MEM;
  pthread_cond_init(&box->changed, NULL);
  box->capacity = (unsigned)size;
  box->first = 0;
  box->count = 0;
  return ERR_OK;
}
void sys_mbox_free(sys_mbox_t *box) {
  pthread_cond_destroy(&box->changed);
  free((void *)box->messages);
}

err_t sys_mbox_trypost(sys_mbox_t *box, void *message) {
  monitor_enter();
  const bool room = box->count < box->capacity;
  if (room) {
    box->messages[(box->first + box->count) % box->capacity] = message;
    ++box->count;
    pthread_cond_broadcast(&box->changed);
  }
  monitor_leave();
  return room ? ERR_OK : ERR_MEM;
}

err_t sys_mbox_trypost_fromisr(sys_mbox_t *box, void *message) {
  return sys_mbox_trypost(box, message);
}

void sys_mbox_post(sys_mbox_t *box, void *message) {
  monitor_enter();
  while (sys_mbox_trypost(box, message) != ERR_OK)
    monitor_wait(&box->changed, 0);
  monitor_leave();
}

u32_t sys_arch_mbox_tryfetch(sys_mbox_t *box, void **message) {
  monitor_enter();
  const bool had = box->count > 0;
  if (had) {
    if (message != NULL)
      *message = box->messages[box->first];
    box->first = (box->first + 1) % box->capacity;
    --box->count;
    pthread_cond_broadcast(&box->changed);
  }
  monitor_leave();
  return had ? 0 : SYS_MBOX_EMPTY;
}

u32_t sys_arch_mbox_fetch(sys_mbox_t *box, void **message, u32_t milliseconds) {
  monitor_enter();
  u32_t result = sys_arch_mbox_tryfetch(box, message);
  bool in_time = true;
  while (result != 0 && in_time) {
    in_time = monitor_wait(&box->changed, milliseconds);
    result = sys_arch_mbox_tryfetch(box, message);
  }
  monitor_leave();
  return result == 0 ? 0 : SYS_ARCH_TIMEOUT;
}

struct Start {
  lwip_thread_fn function;
  void *argument;
};

static void *run(void *given) {
  const struct Start start = *(struct Start *)given;
  free(given);
  start.function(start.argument);
  return NULL;
}

sys_thread_t sys_thread_new(const char *name, lwip_thread_fn function, void *argument,
                            int stack_size, int priority) {
  (void)name, (void)stack_size, (void)priority;
  struct Start *start = malloc(sizeof *start);
  pthread_t thread;
  if (start == NULL)
    abort(); // lwIP needs its thread, and this function cannot report an error
  *start = (struct Start){function, argument};
  if (pthread_create(&thread, NULL, run, start) != 0)
    abort();
  pthread_detach(thread);
  return thread;
}

static bool clock_stands;
static u32_t clock_stands_at;

void send_stop_clock(uint32_t milliseconds) {
  clock_stands_at = milliseconds;
  clock_stands = true;
}

u32_t sys_now(void) {
  if (clock_stands)
    return clock_stands_at;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (u32_t)((uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000);
}

void send_assertion_failed(const char *text, const char *file, int line) {
  fprintf(stderr, "%s:%d: \"%s\" does not hold\n", file, line, text);
  abort();
}

uint32_t send_random(void) {
  static uint32_t state = 2463534242U; // G. Marsaglia, "Xorshift RNGs", J. Stat. Softw. 8 (2003)
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return state;
}
