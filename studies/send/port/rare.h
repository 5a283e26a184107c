/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Included before each of lwIP's files: what the usual packet does not come by. Compilers lay its
 * code out of the way, and specialized code calls it as it is. */
#ifndef SEND_RARE_H
#define SEND_RARE_H

#include <lwip/etharp.h>
#include <lwip/ip4_frag.h>
#include <lwip/netif.h>
#include <lwip/priv/tcp_priv.h>
#include <lwip/tcpip.h> /* which netif.c misses where loopback is polled */
#include <lwip/udp.h>

#define RARE(function) extern __typeof__(function) function __attribute__((cold))
RARE(etharp_query);
RARE(etharp_request);
RARE(ip4_frag);
RARE(tcp_send_empty_ack);
RARE(tcp_split_unsent_seg);
RARE(udp_bind);
#undef RARE
/* All that goes to this host itself comes by it, so it is laid out as usual. */
extern __typeof__(netif_loop_output) netif_loop_output __attribute__((noinline));
static err_t etharp_request_dst(struct netif *, const ip4_addr_t *, const struct eth_addr *)
    __attribute__((cold, unused));

#endif
