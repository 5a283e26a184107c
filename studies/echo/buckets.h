/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** \file Hash buckets for lwIP's connections. lwIP searches one list from the front for a
 * segment's connection, which is slow with a thousand connections. Here that list holds only the
 * connections of one bucket at a time: those that a frame may belong to. */
#ifndef ECHO_BUCKETS_H
#define ECHO_BUCKETS_H

#include <lwip/tcp.h>

/** Makes lwIP's list that of a connection's bucket, as closing the connection requires. */
void buckets_enter_of(const struct tcp_pcb *pcb);
/** Makes lwIP's list that of the bucket that a frame belongs to. The frame may be of any kind. */
void buckets_enter_for(const uint8_t *frame, uint32_t size);
/** Empties lwIP's list again. */
void buckets_leave(void);

/** Runs TCP's timers for all buckets. */
void buckets_tick(void);
/** Resets all connections. */
void buckets_reset(void);

#endif
