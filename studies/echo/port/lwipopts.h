/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* lwIP for one core that polls: no threads, only TCP over IPv4, room for a thousand connections. */
#ifndef LWIPOPTS_H
#define LWIPOPTS_H

#define NO_SYS 1
#define SYS_LIGHTWEIGHT_PROT 0
#define LWIP_TIMERS 0 /* the poll loop runs the timers: timers.c */
#define LWIP_SOCKET 0
#define LWIP_NETCONN 0
#define LWIP_UDP 0
#define LWIP_RAW 0
#define IP_REASSEMBLY 0 /* connections are found by ports, which fragments lack */
#define IP_FRAG 0
#define LWIP_STATS_LARGE 1

#define MEM_ALIGNMENT 8
#define MEM_LIBC_MALLOC 1 /* bounded by the data that connections may have in flight */
/* More than the server accepts, so that the server refuses and counts the rest. */
#define MEMP_NUM_TCP_PCB 1100
#define MEMP_NUM_TCP_PCB_LISTEN 1
#define MEMP_NUM_TCP_SEG 16384
#define PBUF_POOL_SIZE 8192
#define PBUF_POOL_BUFSIZE 256

#define TCP_MSS 1460
#define TCP_WND (4 * TCP_MSS)
#define TCP_SND_BUF (4 * TCP_MSS)
#define TCP_SND_QUEUELEN 128
#define TCP_OOSEQ_MAX_PBUFS 16
#define LWIP_TCP_KEEPALIVE 1 /* frees the connection of a client that has vanished */
#define TCP_KEEPIDLE_DEFAULT 60000
#define TCP_KEEPINTVL_DEFAULT 10000

#endif
