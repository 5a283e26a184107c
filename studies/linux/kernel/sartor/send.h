/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SARTOR_SEND_H
#define SARTOR_SEND_H

#include <linux/net.h>

/* `flags` are those of the call and of the file. */
typedef long sartor_send_t(struct socket *sock, void __user *buffer, size_t size,
			   unsigned int flags);

/* The handler: what __sys_sendto() does with a socket that it has found. */
sartor_send_t sartor_udp_send;
/* The same, never specialized. */
sartor_send_t sartor_generic_send;

#endif
