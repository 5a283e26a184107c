// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <pthread.h>
#include <stdint.h>

#include "check.h"
#include "work.h"

enum { threads = 16, rounds = 50 };

static unsigned long expected[rounds];

/// All threads start together, so that many of them bind a function at its first call.
static pthread_barrier_t barrier;

static void *run(void *argument) {
  (void)argument;
  pthread_barrier_wait(&barrier);
  intptr_t wrong = 0;
  for (unsigned i = 0; i < rounds; ++i) {
    const unsigned long result = work(i);
    unsigned long none = 0;
    if (!__atomic_compare_exchange_n(&expected[i], &none, result, 0, __ATOMIC_SEQ_CST,
                                     __ATOMIC_SEQ_CST))
      wrong += none != result;
  }
  return (void *)wrong;
}

int main(void) {
  pthread_t thread[threads];
  pthread_barrier_init(&barrier, NULL, threads);
  for (int i = 0; i < threads; ++i)
    CHECK(pthread_create(&thread[i], NULL, run, NULL) == 0);
  for (int i = 0; i < threads; ++i) {
    void *wrong = NULL;
    CHECK(pthread_join(thread[i], &wrong) == 0 && !wrong);
  }
  CHECK(work_calls == threads * rounds);
  printf("%lu\n", expected[rounds - 1]);
  return wrong_count();
}
