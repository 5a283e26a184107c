/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* lwIP's port to threads: one recursive lock for everything. */
#ifndef SEND_ARCH_SYS_ARCH_H
#define SEND_ARCH_SYS_ARCH_H

#include <pthread.h>
#include <stdbool.h>

#include "monitor.h"

typedef pthread_t sys_thread_t;

/* All mutexes are the monitor. */
typedef bool sys_mutex_t;
#define sys_mutex_valid(mutex) (*(mutex))
#define sys_mutex_set_invalid(mutex) (*(mutex) = false)

typedef struct {
  pthread_cond_t signalled;
  unsigned count;
  bool valid;
} sys_sem_t;
#define sys_sem_valid(semaphore) ((semaphore)->valid)
#define sys_sem_set_invalid(semaphore) ((semaphore)->valid = false)

/* A ring of `capacity` messages. */
typedef struct {
  pthread_cond_t changed;
  void **messages;
  unsigned capacity;
  unsigned first;
  unsigned count;
} sys_mbox_t;
#define sys_mbox_valid(box) ((box)->messages != NULL)
#define sys_mbox_valid_val(box) sys_mbox_valid(&(box))
#define sys_mbox_set_invalid(box) ((box)->messages = NULL)

typedef int sys_prot_t;
#define SYS_ARCH_DECL_PROTECT(level)
#define SYS_ARCH_PROTECT(level) monitor_enter()
#define SYS_ARCH_UNPROTECT(level) monitor_leave()

#endif
