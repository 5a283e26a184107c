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

/** The driver's state for an lwIP Ethernet interface: its netif's `state`. Guarded by the
 * monitor. */
struct Wire {
  struct netif netif;
  uint64_t frames; /**< Number of frames given to the driver. */
  uint64_t bytes;
  int descriptor; /**< The tap device's file descriptor. */
  /** For wire_collect(): called for each frame. */
  void (*collect)(void *collector, const uint8_t *frame, size_t size);
  void *collector;
};

/** Three drivers: one counts and drops; one counts and calls `collect`; one counts and writes to
 * the descriptor, and drops frames that do not fit. */
err_t wire_drop(struct netif *netif, struct pbuf *frame);
err_t wire_collect(struct netif *netif, struct pbuf *frame);
err_t wire_write(struct netif *netif, struct pbuf *frame);

/** Starts lwIP, once per process, and returns when it runs. */
void stack_start(void);

/** Adds an Ethernet interface and makes it the default route. Addresses are text such as
 * `10.0.0.1`. */
void wire_up(struct Wire *wire, const char *address, const char *mask, const char *gateway,
             netif_linkoutput_fn driver);

/** Requires the monitor: changes the driver and the maximum packet size. */
void wire_set_driver(struct Wire *wire, netif_linkoutput_fn driver);
void wire_set_mtu(struct Wire *wire, uint16_t mtu);

/** Passes a received frame to the stack. */
void wire_receive(struct Wire *wire, const uint8_t *frame, size_t size);

#ifdef __cplusplus
}
#endif

#endif
