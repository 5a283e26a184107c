// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver.h"

#include <string.h>
#include <sys/uio.h>

#include <lwip/etharp.h>
#include <lwip/ethip6.h>
#include <lwip/pbuf.h>
#include <lwip/sys.h>
#include <lwip/tcpip.h>
#include <netif/ethernet.h>

// Size of an Ethernet frame including VLAN tags.
enum { kLargestFrame = 1522, kMostPieces = 16 };

static void count(struct Wire *wire, const struct pbuf *frame) {
  ++wire->frames;
  wire->bytes += frame->tot_len;
}

err_t wire_drop(struct netif *netif, struct pbuf *frame) {
  count(netif->state, frame);
  return ERR_OK;
}

err_t wire_collect(struct netif *netif, struct pbuf *frame) {
  struct Wire *wire = netif->state;
  uint8_t bytes[kLargestFrame];
  count(wire, frame);
  wire->collect(wire->collector, bytes, pbuf_copy_partial(frame, bytes, sizeof bytes, 0));
  return ERR_OK;
}

err_t wire_write(struct netif *netif, struct pbuf *frame) {
  struct Wire *wire = netif->state;
  struct iovec pieces[kMostPieces];
  int used = 0;
  count(wire, frame);
  for (; frame != NULL && used < kMostPieces; frame = frame->next)
    pieces[used++] = (struct iovec){frame->payload, frame->len};
  // A full queue drops the frame without an error, as a real wire does.
  return frame == NULL && writev(wire->descriptor, pieces, used) > 0 ? ERR_OK : ERR_BUF;
}

static void started(void *semaphore) { sys_sem_signal(semaphore); }

void stack_start(void) {
  sys_sem_t semaphore;
  sys_sem_new(&semaphore, 0);
  tcpip_init(started, &semaphore);
  sys_arch_sem_wait(&semaphore, 0);
  sys_sem_free(&semaphore);
}

static err_t initialise(struct netif *netif) {
  static const u8_t address[ETH_HWADDR_LEN] = {2, 0, 0, 0, 0, 1};
  netif->output = etharp_output;
  netif->output_ip6 = ethip6_output;
  netif->mtu = 1500;
  netif->hwaddr_len = ETH_HWADDR_LEN;
  memcpy(netif->hwaddr, address, sizeof address);
  netif->flags = NETIF_FLAG_BROADCAST | NETIF_FLAG_ETHARP | NETIF_FLAG_ETHERNET;
  netif->name[0] = 's';
  netif->name[1] = 'e';
  return ERR_OK;
}

void wire_up(struct Wire *wire, const char *address, const char *mask, const char *gateway,
             netif_linkoutput_fn driver) {
  ip4_addr_t addresses[3];
  ip4addr_aton(address, &addresses[0]);
  ip4addr_aton(mask, &addresses[1]);
  ip4addr_aton(gateway, &addresses[2]);
  LOCK_TCPIP_CORE();
  netif_add(&wire->netif, &addresses[0], &addresses[1], &addresses[2], wire, initialise,
            tcpip_input);
  wire->netif.linkoutput = driver;
  netif_set_default(&wire->netif);
  netif_set_up(&wire->netif);
  netif_set_link_up(&wire->netif);
  UNLOCK_TCPIP_CORE();
}

void wire_set_driver(struct Wire *wire, netif_linkoutput_fn driver) {
  wire->netif.linkoutput = driver;
}

void wire_set_mtu(struct Wire *wire, uint16_t mtu) { wire->netif.mtu = mtu; }

void wire_receive(struct Wire *wire, const uint8_t *frame, size_t size) {
  struct pbuf *buffer = pbuf_alloc(PBUF_RAW, (u16_t)size, PBUF_POOL);
  if (buffer == NULL)
    return;
  pbuf_take(buffer, frame, (u16_t)size);
  if (wire->netif.input(buffer, &wire->netif) != ERR_OK)
    pbuf_free(buffer);
}
