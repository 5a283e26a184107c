/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef SEND_DRIVER_H
#define SEND_DRIVER_H

#include <stddef.h>
#include <stdint.h>

#include <lwip/err.h>
#include <lwip/netif.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What is behind an Ethernet interface of lwIP's: its netif's `state`. Guarded by the monitor. */
struct Wire {
  struct netif netif;
  uint64_t frames; /**< That have been given to the driver. */
  uint64_t bytes;
  int descriptor; /**< Of the tap device. */
  /** For wire_collect(): what becomes of a frame. */
  void (*collect)(void *collector, const uint8_t *frame, size_t size);
  void *collector;
};

/** Three drivers: counts and drops; counts and gives to `collect`; counts and writes to the
 *  descriptor, and drops what that does not take. */
err_t wire_drop(struct netif *netif, struct pbuf *frame);
err_t wire_collect(struct netif *netif, struct pbuf *frame);
err_t wire_write(struct netif *netif, struct pbuf *frame);

/** Starts lwIP, once in a process, and returns when it runs. */
void stack_start(void);

/** Adds an Ethernet interface and makes it the default route. Addresses as `10.0.0.1`. */
void wire_up(struct Wire *wire, const char *address, const char *mask, const char *gateway,
             netif_linkoutput_fn driver);

/** Within the monitor: the driver and the largest packet are others from now on. */
void wire_set_driver(struct Wire *wire, netif_linkoutput_fn driver);
void wire_set_mtu(struct Wire *wire, uint16_t mtu);

/** Gives a frame that has come in to the stack. */
void wire_receive(struct Wire *wire, const uint8_t *frame, size_t size);

#ifdef __cplusplus
}
#endif

#endif
