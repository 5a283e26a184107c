/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SARTOR_INVARIANTS_H
#define SARTOR_INVARIANTS_H

#include <linux/types.h>

struct dst_entry;
struct msghdr;
struct net_device;
struct socket;

/* Of a socket with its route, its device and all its tokens. */
enum { SARTOR_MOST_SPANS = 160 };

/* Memory that a variant takes as constant, by number in the table of invariants. */
struct sartor_invariants {
	struct dst_entry *dst;	/* a reference */
	struct net_device *dev; /* of the route; no reference: `dst` has one */
	unsigned int count;
	u16 spans[SARTOR_MOST_SPANS];
};

/*
 * Declares the invariants of a connected UDP socket. Sockets share those about
 * routes and devices. EOPNOTSUPP: such a socket is not customized.
 */
int sartor_declare_invariants(struct socket *sock, struct sartor_invariants *invariants);
/* Adds those of the message of a token: all, or none on failure. */
int sartor_declare_message(const struct msghdr *msg, struct sartor_invariants *invariants);
void sartor_revoke_invariants(struct sartor_invariants *invariants);

#endif
