// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "buckets.h"

#include <lwip/priv/tcp_priv.h>
#include <lwip/prot/ethernet.h>
#include <lwip/prot/ip4.h>

enum { bucket_count = 1024 };
static struct tcp_pcb *buckets[bucket_count];
static unsigned entered;

static unsigned bucket_of(uint32_t address, uint16_t port) {
  return ((address * 0x9e3779b1U) >> 16U ^ port) % bucket_count;
}

static unsigned bucket_of_pcb(const struct tcp_pcb *pcb) {
  return bucket_of(lwip_ntohl(ip_addr_get_ip4_u32(&pcb->remote_ip)), pcb->remote_port);
}

static void enter(unsigned bucket) {
  entered = bucket;
  tcp_active_pcbs = buckets[bucket];
}

void buckets_enter_of(const struct tcp_pcb *pcb) { enter(bucket_of_pcb(pcb)); }

static uint32_t number(const uint8_t *bytes, unsigned count) {
  uint32_t value = 0;
  for (unsigned i = 0; i < count; ++i)
    value = value << 8U | bytes[i];
  return value;
}

void buckets_enter_for(const uint8_t *frame, uint32_t size) {
  uint32_t address = 0;
  uint16_t port = 0;
  // A frame that is not TCP over IPv4 belongs to no connection, so any bucket will do.
  const uint8_t *ip = frame + SIZEOF_ETH_HDR;
  if (size >= SIZEOF_ETH_HDR + IP_HLEN && number(frame + 12, 2) == ETHTYPE_IP) {
    const uint32_t header = (ip[0] & 0xfU) * 4;
    if (size >= SIZEOF_ETH_HDR + header + 2) {
      address = number(ip + 12, 4);
      port = (uint16_t)number(ip + header, 2);
    }
  }
  enter(bucket_of(address, port));
}

void buckets_leave(void) {
  buckets[entered] = tcp_active_pcbs;
  tcp_active_pcbs = NULL;
}

void buckets_tick(void) {
  struct tcp_pcb **last = &tcp_active_pcbs;
  for (unsigned i = 0; i < bucket_count; ++i) {
    *last = buckets[i];
    buckets[i] = NULL;
    while (*last != NULL)
      last = &(*last)->next;
  }
  tcp_tmr();
  struct tcp_pcb *pcb = tcp_active_pcbs;
  tcp_active_pcbs = NULL;
  while (pcb != NULL) {
    struct tcp_pcb *const next = pcb->next;
    struct tcp_pcb **const bucket = &buckets[bucket_of_pcb(pcb)];
    pcb->next = *bucket;
    *bucket = pcb;
    pcb = next;
  }
}

void buckets_reset(void) {
  for (unsigned i = 0; i < bucket_count; ++i) {
    enter(i);
    while (tcp_active_pcbs != NULL)
      tcp_abort(tcp_active_pcbs);
    buckets_leave();
  }
}
