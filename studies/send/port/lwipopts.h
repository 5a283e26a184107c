/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* lwIP as it is usually built for a host with threads: both IP versions, sockets, full
 * checksums, default statistics and assertions, and room for a stream. */
#ifndef LWIPOPTS_H
#define LWIPOPTS_H

#define NO_SYS 0
#define LWIP_IPV4 1
#define LWIP_IPV6 1
#define LWIP_SOCKET 1
#define LWIP_NETCONN 1
#define LWIP_NETIF_API 1
#define LWIP_RAW 1
#define LWIP_COMPAT_SOCKETS 0 /* the C library's functions keep their names */
#define LWIP_TIMEVAL_PRIVATE 0
#define LWIP_TCPIP_CORE_LOCKING 1
#define LWIP_TCPIP_CORE_LOCKING_INPUT 1
#define LWIP_IGMP 1
#define LWIP_DNS 0
#define IPV6_FRAG_COPYHEADER 1 /* needed with 64-bit pointers */
#define LWIP_SO_SNDTIMEO 1
#define LWIP_SO_RCVTIMEO 1
#define LWIP_SO_RCVBUF 1
#define SO_REUSE 1
#define IP_SOF_BROADCAST 1
#define LWIP_HAVE_LOOPIF 1
#define LWIP_NETIF_LOOPBACK 1
#define LWIP_NETIF_LOOPBACK_MULTITHREADING 0 /* senders to this host call netif_poll_all() */

#define TCPIP_MBOX_SIZE 512
#define TCPIP_THREAD_STACKSIZE 0
#define TCPIP_THREAD_PRIO 0
#define DEFAULT_UDP_RECVMBOX_SIZE 512
#define DEFAULT_TCP_RECVMBOX_SIZE 512
#define DEFAULT_ACCEPTMBOX_SIZE 16

#define MEM_ALIGNMENT 8
#define MEM_SIZE (4 * 1024 * 1024)
#define MEMP_NUM_NETCONN 32
#define MEMP_NUM_UDP_PCB 32
#define MEMP_NUM_TCP_PCB 32
#define MEMP_NUM_TCP_PCB_LISTEN 16
#define MEMP_NUM_TCP_SEG 1024
#define MEMP_NUM_PBUF 1024
#define MEMP_NUM_NETBUF 1024
#define MEMP_NUM_TCPIP_MSG_API 512
#define MEMP_NUM_TCPIP_MSG_INPKT 1024
#define PBUF_POOL_SIZE 2048

#define TCP_MSS 1460
#define TCP_WND (44 * TCP_MSS)
#define TCP_SND_BUF                                                                                \
  (44 *                                                                                            \
   TCP_MSS) /* a multiple of the segment size, so that no segment is split to fill the buffer */
#define TCP_SND_QUEUELEN 256
#define TCP_SNDLOWAT (TCP_SND_BUF / 2)

#endif
