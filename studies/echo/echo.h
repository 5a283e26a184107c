/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * \file
 * A server that answers requests over TCP, on one core that polls. What a request is: message.h.
 */
#ifndef ECHO_ECHO_H
#define ECHO_ECHO_H

#include <stdint.h>

#include "port.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { echo_most_connections = 1024, echo_most_batch = 64 };

/** How much of each kind of work is done in a poll at most, up to echo_most_batch. */
struct EchoBatches {
  uint32_t rx;     /**< Frames that are taken from the port. */
  uint32_t queues; /**< Requests that are answered. */
  uint32_t qman;   /**< Connections that may send. */
};

/** What has been seen so far. */
struct EchoCounters {
  uint64_t frames;
  uint64_t answers;
  uint64_t accepted;  /**< Connections. */
  uint64_t closed;    /**< By the client, in order. */
  uint64_t malformed; /**< Requests that are none: their connection is reset. */
  uint64_t oversized; /**< Requests that are too long: likewise. */
  uint64_t truncated; /**< Requests whose connection ended in the middle of them. */
  uint64_t reset;     /**< Connections, by the client. */
  uint64_t vanished;  /**< Clients that acknowledge nothing any more: lwIP gave up. */
  uint64_t stuck;     /**< Clients that took or sent no byte for too long: reset. */
  uint64_t no_room;   /**< Connections that were one too many: reset. */
  uint64_t no_memory; /**< Frames for which there was no buffer: dropped. */
};

/** The server. lwIP's state is the process's, so there is one at a time. */
struct EchoServer;

/** Listens at an address (`10.1.0.1`) and a TCP port, with the hardware address `mac`. `port` is
 *  copied. Null where there is no memory, the address is none, or there is one already. */
struct EchoServer *echo_open(const struct EchoPort *port, const uint8_t mac[6], const char *address,
                             uint16_t tcp_port);
/** Resets all connections. Null is allowed. */
void echo_close(struct EchoServer *echo);

/** One turn of the loop: takes frames, lets connections send, answers requests, and sees to timers.
 *  Returns how much there was to do: 0 if nothing. The handler. */
uint32_t echo_poll(struct EchoServer *echo);

/** The time, in milliseconds since any moment: by it, TCP sends again, and gives up. */
void echo_set_time(struct EchoServer *echo, uint32_t milliseconds);
/** After how many seconds a client is stuck; 30 if nobody says. */
void echo_set_patience(struct EchoServer *echo, uint32_t seconds);
/** 1 of each if nobody says. */
void echo_set_batches(struct EchoServer *echo, struct EchoBatches batches);

struct EchoCounters echo_counted(const struct EchoServer *echo);
/** Frames and segments that lwIP has dropped since the process began: wrong checksums and lengths,
 *  what is not for us. */
uint64_t echo_dropped(void);

#ifdef __cplusplus
}
#endif

#endif
