// SPDX-License-Identifier: GPL-2.0-only
/*
 * The handler. It is compiled twice: by kbuild as generic code, and with the
 * functions of `functions.taken` as the module that variants are made from.
 */
#include <linux/socket.h>
#include <linux/udp.h>
#include <linux/uio.h>
#include <net/inet_common.h>
#include <net/route.h>
#include <net/sock.h>
#include <net/udp.h>

#include <sartor/points.h>

#include "send.h"

/*
 * Whether memory has changed since the variant was made. In a variant, the
 * second read is a constant; the first is not, since the compiler cannot see
 * it. In generic code, it is never true.
 */
#define CHANGED(place)                                                                             \
	({                                                                                         \
		typeof(place) now_;                                                                \
		asm volatile("mov %1, %0" : "=r"(now_) : "m"(place));                              \
		now_ != (place);                                                                   \
	})

noinline long sartor_generic_send(struct socket *sock, void __user *buffer, size_t size,
				  unsigned int flags)
{
	struct msghdr msg = { .msg_flags = flags };
	struct iovec iov;
	int err = import_single_range(ITER_SOURCE, buffer, size, &iov, &msg.msg_iter);

	return err ?: sock_sendmsg(sock, &msg);
}

/*
 * Whether a message is one fragment, in one piece: all that variants are made
 * for (module.h).
 */
static __always_inline bool is_one_fragment(const struct sock *sk, const struct rtable *rt,
					    size_t size, unsigned int flags)
{
	const size_t bytes = sizeof(struct iphdr) + sizeof(struct udphdr) + size;

	return size < SKB_MAX_ALLOC / 2 && bytes <= dst_mtu(&rt->dst) &&
	       bytes <= READ_ONCE(rt->dst.dev->mtu) && !inet_sk(sk)->inet_opt &&
	       !READ_ONCE(udp_sk(sk)->gso_size) && !(flags & (MSG_MORE | MSG_ZEROCOPY));
}

SARTOR_HANDLER long sartor_udp_send(struct socket *sock, void __user *buffer, size_t size,
				    struct msghdr *msg)
{
	struct sock *sk = sock->sk;
	struct rtable *rt = (struct rtable *)rcu_dereference_raw(sk->sk_dst_cache);
	struct iovec iov;
	int err;

	/*
	 * State that changes without a system call on the socket. Nothing waits
	 * between here and udp_sendmsg() taking a reference to the route
	 * (module.h). From there on, generic code keeps a route that changes,
	 * too.
	 */
	if (!rt || CHANGED(sk->sk_dst_cache) || CHANGED(rt->dst.obsolete) ||
	    rt->rt_genid != rt_genid_ipv4(sock_net(sk)) || CHANGED(rt->dst.expires) ||
	    CHANGED(rt->dst._metrics) || !is_one_fragment(sk, rt, size, msg->msg_flags) ||
	    /* a corked message, or one that would wait */
	    CHANGED(udp_sk(sk)->pending) || sk_wmem_alloc_get(sk) >= READ_ONCE(sk->sk_sndbuf))
		return sartor_generic_send(sock, buffer, size, msg->msg_flags);

	err = import_single_range(ITER_SOURCE, buffer, size, &iov, &msg->msg_iter);
	return err ?: udp_sendmsg(sk, msg, size);
}
