// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is taken as constant of a socket, its route and its device. Each span
 * has a guard: see README.md, and keep the two in step.
 */
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/net.h>
#include <linux/netdevice.h>
#include <linux/socket.h>
#include <linux/string.h>
#include <linux/udp.h>
#include <net/inet_common.h>
#include <net/net_namespace.h>
#include <net/protocol.h>
#include <net/route.h>
#include <net/sch_generic.h>
#include <net/sock.h>
#include <net/udp.h>

#include "invariants.h"
#include "host.h"

/* A declared span, used by as many contexts. */
struct span {
	const void *memory;
	size_t size;
	unsigned int users;
	unsigned int invariant;
};

static struct span spans[SARTOR_MOST_INVARIANTS];

static int declare(struct sartor_invariants *all, const void *begin, const void *end)
{
	struct span *unused = NULL;
	struct span *each;
	int invariant;

	if (all->count == ARRAY_SIZE(all->spans))
		return -ENOSPC;
	for (each = spans; each < spans + ARRAY_SIZE(spans); ++each) {
		if (each->users && each->memory == begin && each->size == end - begin)
			goto found;
		if (!each->users && !unused)
			unused = each;
	}
	each = unused;
	if (!each)
		return -ENOSPC;
	invariant = sartor_host_declare(begin, end - begin);
	if (invariant < 0)
		return -ENOSPC;
	*each = (struct span){ begin, end - begin, 0, invariant };
found:
	++each->users;
	all->spans[all->count++] = each - spans;
	return 0;
}

/* From the first of two members of one object to the end of the last. */
#define SPAN(first, last)                                                                          \
	(err = err ?: declare(invariants, &(first), (const char *)&(last) + sizeof(last)))
#define FIELD(field) SPAN(field, field)
/* Up to a member that is not in it; for bit-fields. */
#define UP_TO(first, end) (err = err ?: declare(invariants, (first), &(end)))

static int declare_socket(struct socket *sock, struct sartor_invariants *invariants)
{
	struct sock *sk = sock->sk;
	struct inet_sock *inet = inet_sk(sk);
	struct udp_sock *up = udp_sk(sk);
	int err = 0;

	SPAN(sock->sk, sock->ops);
	SPAN(sk->sk_daddr, sk->sk_bound_dev_if);
	SPAN(sk->sk_prot, sk->sk_net);
	FIELD(sk->sk_flags);
	FIELD(sk->sk_dst_cache);
	SPAN(sk->sk_priority, sk->sk_mark);
	SPAN(sk->sk_route_caps, sk->sk_allocation);
	UP_TO(&sk->sk_txhash + 1, sk->sk_lingertime);
	SPAN(sk->sk_tsflags, sk->sk_shutdown);
	UP_TO(&sk->sk_clockid, sk->sk_socket);
	SPAN(inet->inet_saddr, inet->inet_opt);
	UP_TO(&inet->inet_sport, inet->mc_list);
	SPAN(up->udp_flags, up->pending);
	UP_TO(&up->encap_type, up->len);
	FIELD(up->gso_size);
	return err;
}

static int declare_route(const struct rtable *rt, struct sartor_invariants *invariants)
{
	const struct net *net = dev_net(rt->dst.dev);
	const u32 *metrics = dst_metrics_ptr((struct dst_entry *)&rt->dst);
	int err = 0;

	UP_TO(rt, rt->dst.__refcnt);
	UP_TO(&rt->rt_flags, rt->rt_uncached);
	SPAN(rt->dst.ops->check, rt->dst.ops->kmem_cachep);
	SPAN(metrics[0], metrics[RTAX_MAX - 1]);
	UP_TO(&net->mib, net->packet);
	return err;
}

static int declare_device(struct net_device *dev, struct sartor_invariants *invariants)
{
	struct netdev_queue *txq = netdev_get_tx_queue(dev, 0);
	struct Qdisc *qdisc = rcu_dereference_raw(txq->qdisc);
	int err = 0;

	SPAN(dev->flags, dev->features);
	FIELD(dev->header_ops);
	SPAN(dev->_tx, dev->real_num_tx_queues);
	SPAN(txq->dev, txq->qdisc);
	SPAN(qdisc->enqueue, qdisc->flags);
	SPAN(*dev->netdev_ops, *dev->netdev_ops);
	return err;
}

static int declare_all(struct socket *sock, struct sartor_invariants *invariants)
{
	int err = declare_socket(sock, invariants);

	err = err ?: declare_route((const struct rtable *)invariants->dst, invariants);
	return err ?: declare_device(invariants->dev, invariants);
}

int sartor_declare_invariants(struct socket *sock, struct sartor_invariants *invariants)
{
	struct sock *sk = sock->sk;
	int err;

	memset(invariants, 0, sizeof(*invariants));
	if (sock->ops != &inet_dgram_ops || sk->sk_prot != &udp_prot)
		return -EOPNOTSUPP;
	if (sk->sk_state != TCP_ESTABLISHED || !inet_sk(sk)->inet_num)
		return -ENOTCONN;
	if (READ_ONCE(udp_sk(sk)->pending))
		return -EBUSY;
	invariants->dst = sk_dst_get(sk);
	if (!invariants->dst || invariants->dst->obsolete != DST_OBSOLETE_FORCE_CHK) {
		dst_release(invariants->dst);
		invariants->dst = NULL;
		return -EHOSTUNREACH; /* no message has been sent yet */
	}
	invariants->dev = invariants->dst->dev;
	err = declare_all(sock, invariants);
	if (err)
		sartor_revoke_invariants(invariants);
	return err;
}

/* Revokes all but the first `left`. */
static void revoke_spans(struct sartor_invariants *invariants, unsigned int left)
{
	while (invariants->count > left) {
		struct span *span = &spans[invariants->spans[--invariants->count]];

		if (--span->users == 0)
			sartor_host_revoke(span->invariant);
	}
}

int sartor_declare_message(const struct msghdr *msg, struct sartor_invariants *invariants)
{
	const unsigned int before = invariants->count;
	int err = 0;

	UP_TO(&msg->msg_name, msg->msg_iter);
	SPAN(msg->msg_control, msg->msg_ubuf);
	if (err)
		revoke_spans(invariants, before);
	return err;
}

void sartor_revoke_invariants(struct sartor_invariants *invariants)
{
	revoke_spans(invariants, 0);
	dst_release(invariants->dst);
	invariants->dst = NULL;
	invariants->dev = NULL;
}
