/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Included before each of lwIP's files: declares functions off the usual packet's path.
 * Compilers place their code apart, and specialized code calls them without inlining. */
#ifndef SEND_RARE_H
#define SEND_RARE_H

#include <lwip/etharp.h>
#include <lwip/ip4_frag.h>
#include <lwip/netif.h>
#include <lwip/priv/tcp_priv.h>
#include <lwip/tcpip.h> /* missing in netif.c when loopback is polled */
#include <lwip/udp.h>

#define RARE(function) extern __typeof__(function) function __attribute__((cold))
RARE(etharp_query);
RARE(etharp_request);
RARE(ip4_frag);
RARE(tcp_send_empty_ack);
RARE(tcp_split_unsent_seg);
RARE(udp_bind);
#undef RARE
/* Placed as usual, since all packets to this host itself pass it. */
extern __typeof__(netif_loop_output) netif_loop_output __attribute__((noinline));
static err_t etharp_request_dst(struct netif *, const ip4_addr_t *, const struct eth_addr *)
    __attribute__((cold, unused));

#endif
