/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** \file A server that answers requests over TCP, on one core that polls. message.h defines the
 * requests. */
#ifndef ECHO_ECHO_H
#define ECHO_ECHO_H

#include <stdint.h>

#include "port.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { echo_most_connections = 1024, echo_most_batch = 64 };

/** Maximum amount of each kind of work in one poll, up to echo_most_batch. */
struct EchoBatches {
  uint32_t rx;     /**< Frames taken from the port. */
  uint32_t queues; /**< Requests answered. */
  uint32_t qman;   /**< Connections served that have data to send. */
};

/** Counters since the server was opened. */
struct EchoCounters {
  uint64_t frames;
  uint64_t answers;
  uint64_t accepted;  /**< Accepted connections. */
  uint64_t closed;    /**< Connections closed by the client in order. */
  uint64_t malformed; /**< Malformed requests; the connection is reset. */
  uint64_t oversized; /**< Requests that are too long; the connection is reset. */
  uint64_t truncated; /**< Requests whose connection ended in the middle of them. */
  uint64_t reset;     /**< Connections reset by the client. */
  uint64_t vanished;  /**< Clients that stopped acknowledging; lwIP gave up. */
  uint64_t stuck;     /**< Clients without progress for too long: reset. */
  uint64_t no_room;   /**< Connections above the limit; they are reset. */
  uint64_t no_memory; /**< Frames dropped because there was no buffer. */
};

/** The server. lwIP's state is global to the process, so one server exists at a time. */
struct EchoServer;

/** Listens at an address (`10.1.0.1`) and a TCP port, with the hardware address `mac`. Copies
 * `port`. Null if memory is short, the address is invalid, or a server is open already. */
struct EchoServer *echo_open(const struct EchoPort *port, const uint8_t mac[6], const char *address,
                             uint16_t tcp_port);
/** Resets all connections and frees the server. Accepts null. */
void echo_close(struct EchoServer *echo);

/** The handler: one turn of the loop. It takes frames, lets connections send, answers requests,
 * and runs timers. Returns the amount of work done, 0 if there was none. */
uint32_t echo_poll(struct EchoServer *echo);

/** Sets the time in milliseconds, from any origin. TCP retransmits and gives up according to it. */
void echo_set_time(struct EchoServer *echo, uint32_t milliseconds);
/** Sets after how many seconds a client is considered stuck; the default is 30. */
void echo_set_patience(struct EchoServer *echo, uint32_t seconds);
/** Sets the batch sizes; the default is 1 each. */
void echo_set_batches(struct EchoServer *echo, struct EchoBatches batches);

struct EchoCounters echo_counted(const struct EchoServer *echo);
/** Frames and segments that lwIP has dropped since the process started: wrong checksums or
 * lengths, or a destination that is not this server. */
uint64_t echo_dropped(void);

#ifdef __cplusplus
}
#endif

#endif
