/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef QUEUE_H
#define QUEUE_H

#ifdef __cplusplus
extern "C" {
#endif

enum order { FIRST_IN, LAST_IN };

struct queue {
  int lock;
  int limit; /* maximal count */
  int count;
  long items[64];
};

int push(struct queue *queue, enum order order, long item);
/* Afterwards, other threads may use queues too. */
void start_threads(void);

#ifdef __cplusplus
}
#endif

#endif
