/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef ECHO_STATE_H
#define ECHO_STATE_H

#include <lwip/netif.h>
#include <lwip/tcp.h>

#include "echo.h"
#include "ring.h"

/** A client's connection. */
struct connection {
  struct ring requests; /**< Of those with a request to answer, or of those that are free. */
  struct ring sending;  /**< Of those with something to send. */
  struct tcp_pcb *pcb;  /**< Null if it is free. */
  struct echo_server *echo;
  struct pbuf *held; /**< What has come and is not answered. */
  uint32_t whole;    /**< Bytes of that which are whole requests. */
  uint32_t quiet;    /**< Seconds in which no byte came or was taken, though some should. */
  bool is_full;      /**< Has no room for an answer. */
  bool has_ended;    /**< The client sends no more. */
};

struct echo_server {
  struct echo_port port;
  struct echo_batches batches;
  struct echo_counters counters;
  struct ring requests;
  struct ring sending;
  struct ring free;
  struct netif netif;
  struct tcp_pcb *listener;
  uint32_t now;                  /**< Milliseconds. */
  uint32_t tcp_timer, arp_timer; /**< When they last went off. */
  uint32_t patience;             /**< Seconds. */
  struct connection connections[ECHO_MOST_CONNECTIONS];
};

#endif
