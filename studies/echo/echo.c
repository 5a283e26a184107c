// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "echo.h"

#include <stdlib.h>
#include <string.h>

#include <lwip/etharp.h>
#include <lwip/init.h>
#include <lwip/stats.h>
#include <netif/ethernet.h>

#include "buckets.h"
#include "connection.h"
#include "state.h"

enum { usual_batch = 1, usual_patience = 30 };

static struct EchoServer *opened; // lwIP's state is global to the process

static err_t transmit(struct netif *netif, struct pbuf *frame) {
  const struct EchoServer *const echo = netif->state;
  uint8_t bytes[SIZEOF_ETH_HDR + 1500];
  const uint8_t *whole = frame->payload;
  if (frame->next != NULL) {
    if (frame->tot_len > sizeof bytes)
      return ERR_BUF;
    pbuf_copy_partial(frame, bytes, frame->tot_len, 0);
    whole = bytes;
  }
  echo->port.send(echo->port.user, whole, frame->tot_len);
  return ERR_OK;
}

static err_t begin(struct netif *netif) {
  netif->name[0] = 'e';
  netif->name[1] = 'c';
  netif->mtu = 1500;
  netif->hwaddr_len = ETH_HWADDR_LEN;
  netif->output = etharp_output;
  netif->linkoutput = transmit;
  netif->flags = NETIF_FLAG_BROADCAST | NETIF_FLAG_ETHARP | NETIF_FLAG_ETHERNET;
  return ERR_OK;
}

static bool bring_up(struct EchoServer *echo, const uint8_t mac[6], const ip4_addr_t *address) {
  ip4_addr_t mask, none;
  IP4_ADDR(&mask, 255, 255, 0, 0);
  ip4_addr_set_zero(&none);
  memcpy(echo->netif.hwaddr, mac, ETH_HWADDR_LEN);
  if (netif_add(&echo->netif, address, &mask, &none, echo, begin, ethernet_input) == NULL)
    return false;
  netif_set_default(&echo->netif);
  netif_set_link_up(&echo->netif);
  netif_set_up(&echo->netif);
  return true;
}

static bool listen_at(struct EchoServer *echo, uint16_t tcp_port) {
  struct tcp_pcb *const pcb = tcp_new();
  if (pcb == NULL)
    return false;
  if (tcp_bind(pcb, IP_ANY_TYPE, tcp_port) == ERR_OK)
    echo->listener = tcp_listen(pcb);
  if (echo->listener == NULL) {
    tcp_close(pcb);
    return false;
  }
  tcp_arg(echo->listener, echo);
  tcp_accept(echo->listener, connection_accepted);
  return true;
}

struct EchoServer *echo_open(const struct EchoPort *port, const uint8_t mac[6], const char *address,
                             uint16_t tcp_port) {
  static bool is_initialized;
  ip4_addr_t parsed;
  if (opened != NULL || !ip4addr_aton(address, &parsed))
    return NULL;
  struct EchoServer *const echo = calloc(1, sizeof *echo);
  if (echo == NULL)
    return NULL;
  if (!is_initialized)
    lwip_init();
  is_initialized = true;
  echo->port = *port;
  echo->batches = (struct EchoBatches){usual_batch, usual_batch, usual_batch};
  echo->patience = usual_patience;
  ring_clear(&echo->requests);
  ring_clear(&echo->sending);
  ring_clear(&echo->free);
  for (unsigned i = 0; i < echo_most_connections; ++i) {
    echo->connections[i].echo = echo;
    ring_clear(&echo->connections[i].requests);
    ring_clear(&echo->connections[i].sending);
    ring_append(&echo->free, &echo->connections[i].requests);
  }
  if (!bring_up(echo, mac, &parsed) || !listen_at(echo, tcp_port)) {
    netif_remove(&echo->netif);
    free(echo);
    return NULL;
  }
  opened = echo;
  return echo;
}

void echo_close(struct EchoServer *echo) {
  if (echo == NULL)
    return;
  buckets_reset();
  tcp_close(echo->listener);
  netif_remove(&echo->netif);
  echo->port.flush(echo->port.user);
  free(echo);
  opened = NULL;
}

void echo_set_time(struct EchoServer *echo, uint32_t milliseconds) { echo->now = milliseconds; }
void echo_set_patience(struct EchoServer *echo, uint32_t seconds) { echo->patience = seconds; }
void echo_set_batches(struct EchoServer *echo, struct EchoBatches batches) {
  echo->batches = batches;
}

struct EchoCounters echo_counted(const struct EchoServer *echo) { return echo->counters; }
uint64_t echo_dropped(void) {
  return lwip_stats.link.drop + lwip_stats.etharp.drop + lwip_stats.ip.drop + lwip_stats.tcp.drop;
}

// Called by lwIP for the time, since the server runs TCP's timers.
u32_t sys_now(void) { return opened == NULL ? 0 : opened->now; }
