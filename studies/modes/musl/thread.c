/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* musl's data of a thread, for threads of glibc. */
#include "pthread_impl.h"

static _Thread_local struct __pthread self;

uintptr_t modes_thread(void) {
  if (!self.tid) {
    self.self = &self;
    self.tid = (int)__syscall(SYS_gettid);
  }
  return (uintptr_t)&self;
}

int *__errno_location(void); /* from glibc */
int *___errno_location(void) { return __errno_location(); }
