/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef ECHO_STATE_H
#define ECHO_STATE_H

#include <lwip/netif.h>
#include <lwip/tcp.h>

#include "echo.h"
#include "ring.h"

/** A client's connection. */
struct Connection {
  struct Ring requests; /**< Of those with a request to answer, or of those that are free. */
  struct Ring sending;  /**< Of those with something to send. */
  struct tcp_pcb *pcb;  /**< Null if it is free. */
  struct EchoServer *echo;
  struct pbuf *held; /**< What has come and is not answered. */
  uint32_t whole;    /**< Bytes of that which are whole requests. */
  uint32_t quiet;    /**< Seconds in which no byte came or was taken, though some should. */
  bool is_full;      /**< Has no room for an answer. */
  bool has_ended;    /**< The client sends no more. */
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
  uint32_t now;                  /**< Milliseconds. */
  uint32_t tcp_timer, arp_timer; /**< When they last went off. */
  uint32_t patience;             /**< Seconds. */
  struct Connection connections[echo_most_connections];
};

#endif
