/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Represents existing code that is not to be changed. */
#include "queue.h"

#include <string.h>

static int threaded;

static void lock(int *word) {
  while (__atomic_exchange_n(word, 1, __ATOMIC_ACQUIRE)) {
  }
}

static unsigned bytes_of(int items) { return (unsigned)items * sizeof(long); }

int push(struct queue *queue, enum order order, long item) {
  if (threaded)
    lock(&queue->lock);
  int fits = queue->count < queue->limit;
  if (fits && order == LAST_IN) {
    memmove(&queue->items[1], &queue->items[0], bytes_of(queue->count));
    queue->items[0] = item;
  } else if (fits) {
    queue->items[queue->count] = item;
  }
  queue->count += fits;
  if (threaded)
    __atomic_store_n(&queue->lock, 0, __ATOMIC_RELEASE);
  return fits;
}

void start_threads(void) { threaded = 1; }
