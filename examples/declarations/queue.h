/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef QUEUE_H
#define QUEUE_H

#ifdef __cplusplus
extern "C" {
#endif

enum order { FIRST_IN, LAST_IN };

struct queue {
  int lock;
  int limit; /* how many it takes */
  int count;
  long items[64];
};

int push(struct queue *queue, enum order order, long item);
/* From now on, others use queues as well. */
void start_threads(void);

#ifdef __cplusplus
}
#endif

#endif
