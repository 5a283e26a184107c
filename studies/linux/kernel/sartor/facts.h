/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SARTOR_FACTS_H
#define SARTOR_FACTS_H

#include <linux/types.h>

struct dst_entry;
struct msghdr;
struct net_device;
struct socket;

enum { SARTOR_MOST_FACTS = 32 };

/* Memory that a variant takes as constant, by number in the table of facts. */
struct sartor_facts {
	struct dst_entry *dst;	/* a reference */
	struct net_device *dev; /* of the route; no reference: `dst` has one */
	unsigned int count;
	u8 facts[SARTOR_MOST_FACTS];
};

/*
 * Declares the facts of a connected UDP socket. Sockets share those about
 * routes and devices. EOPNOTSUPP: such a socket is not customized.
 */
int sartor_declare_facts(struct socket *sock, struct sartor_facts *facts);
/* Adds those of the message of a token. */
int sartor_declare_message(const struct msghdr *msg, struct sartor_facts *facts);
void sartor_revoke_facts(struct sartor_facts *facts);

#endif
