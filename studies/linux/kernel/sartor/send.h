/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SARTOR_SEND_H
#define SARTOR_SEND_H

#include <linux/net.h>
#include <linux/socket.h>

/*
 * The handler: __sys_sendto() from the UDP socket that it has found.
 * `msg` has the flags of the call and of the file, and no address; the handler
 * sets its msg_iter. It is not on the stack, since what is declared constant of
 * it can be folded wherever it is read.
 */
typedef long sartor_send_t(struct socket *sock, void __user *buffer, size_t size,
			   struct msghdr *msg);
sartor_send_t sartor_udp_send;

/* The same for all sockets, never specialized. */
long sartor_generic_send(struct socket *sock, void __user *buffer, size_t size, unsigned int flags);

#endif
