/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * \file
 * lwIP looks for a segment's connection from the front of one list to its end, which is long where
 * there are a thousand. So its list has but one bucket's connections at a time: of those that a
 * frame may be for.
 */
#ifndef ECHO_BUCKETS_H
#define ECHO_BUCKETS_H

#include <lwip/tcp.h>

/** lwIP's list is now that of a connection's bucket, as it has to be when that is closed. */
void buckets_enter_of(const struct tcp_pcb *pcb);
/** That of the bucket that a frame is for, which may be of any kind. */
void buckets_enter_for(const uint8_t *frame, uint32_t size);
/** It is empty again. */
void buckets_leave(void);

/** TCP's timers, for all. */
void buckets_tick(void);
/** Resets all connections. */
void buckets_reset(void);

#endif
