/* SPDX-License-Identifier: GPL-2.0-only */
/* What writers of invariants call before they write. */
#ifndef SARTOR_GUARDS_H
#define SARTOR_GUARDS_H

#include <linux/net.h>

struct net_device;

extern unsigned int sartor_context_count;
/* System calls that may write to invariants of a socket, and have not returned. */
extern unsigned int sartor_writers;

void sartor_change_socket(struct socket *sock);
void sartor_end_socket(struct socket *sock);
void sartor_change_device(const struct net_device *dev);

/*
 * Around such a system call. No context is declared meanwhile: the call may
 * wait before it writes. Only sockets for datagrams are customized.
 */
static inline void sartor_socket_changes(struct socket *sock)
{
	if (sock->type != SOCK_DGRAM)
		return;
	++sartor_writers;
	if (sartor_context_count > 0)
		sartor_change_socket(sock);
}

static inline void sartor_socket_changed(struct socket *sock)
{
	if (sock->type == SOCK_DGRAM)
		--sartor_writers;
}

static inline void sartor_socket_ends(struct socket *sock)
{
	if (sartor_context_count > 0)
		sartor_end_socket(sock);
}

#endif
