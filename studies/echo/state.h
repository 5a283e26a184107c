/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef ECHO_STATE_H
#define ECHO_STATE_H

#include <lwip/netif.h>
#include <lwip/tcp.h>

#include "echo.h"
#include "ring.h"

/** A client's connection. */
struct Connection {
  struct Ring requests; /**< Link in the ring of connections with a request to answer, or in that of
                           the free ones. */
  struct Ring sending;  /**< Link in the ring of connections with data to send. */
  struct tcp_pcb *pcb;  /**< Null if the connection is free. */
  struct EchoServer *echo;
  struct pbuf *held; /**< Received bytes that are not answered yet. */
  uint32_t whole;    /**< How many bytes of `held` are complete requests. */
  uint32_t quiet;    /**< Seconds without a byte received or acknowledged although some were due. */
  bool is_full;      /**< There is no room for an answer. */
  bool has_ended;    /**< The client has closed its direction. */
};

struct EchoServer {
  struct EchoPort port;
  struct EchoBatches batches;
  struct EchoCounters counters;
  struct Ring requests;
  struct Ring sending;
  struct Ring free;
  struct netif netif;
  struct tcp_pcb *listener;
  uint32_t now;                  /**< In milliseconds. */
  uint32_t tcp_timer, arp_timer; /**< Time of the last run of each timer. */
  uint32_t patience;             /**< In seconds. */
  struct Connection connections[echo_most_connections];
};

#endif
