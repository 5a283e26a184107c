/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Included in front of each file of the handler module, which is compiled from
 * the kernel's unmodified files otherwise.
 */
#include <linux/bitops.h>
#include <linux/compiler.h>

/*
 * Reads of what an interrupt may change are volatile in the kernel, so that a
 * compiler neither repeats nor drops them. These functions have no loop that
 * waits for an interrupt. LLVM does not repeat loads, and may drop one after a
 * store to the same place.
 */
#undef __READ_ONCE
#define __READ_ONCE(x) (*(const __unqual_scalar_typeof(x) *)&(x))

/* In assembly otherwise, which is not folded. */
#undef test_bit
#define test_bit(nr, addr)                                                                         \
	((READ_ONCE(((const unsigned long *)(addr))[(nr) / BITS_PER_LONG]) >>                      \
	  ((nr) % BITS_PER_LONG)) &                                                                \
	 1)

/*
 * This kernel is not preempted, so that these are barriers for the compiler
 * alone. It would keep what is on the stack in memory for their sake. A call
 * that disables interrupts of any kind is a barrier still.
 */
#include <linux/preempt.h>
#undef preempt_disable
#define preempt_disable()                                                                          \
	do {                                                                                       \
	} while (0)
#undef preempt_enable
#define preempt_enable()                                                                           \
	do {                                                                                       \
	} while (0)

#include <net/sock.h>

#ifdef SARTOR_FILE_net_ipv4_udp
/* The handler has checked the route, and nothing has waited since. */
static inline struct dst_entry *sartor_checked_dst(struct sock *sk)
{
	struct dst_entry *dst = rcu_dereference_raw(sk->sk_dst_cache);

	/*
	 * dst_hold(), which is assembly that may write to any memory. On one
	 * processor, one instruction that adds to memory is as atomic.
	 */
	++dst->__refcnt.counter;
	return dst;
}
#define sk_dst_check(sk, cookie) sartor_checked_dst(sk)
#endif

#ifdef SARTOR_FILE_net_ipv4_ip_output
#include <linux/skbuff.h>

/*
 * The handler sends messages of one fragment only: the queue of fragments is
 * empty before, and the loop ends after the first. (ip_append_page() has no
 * variable `length`; it is compiled, and not taken, nor is ip_append_data().)
 */
#define skb_peek_tail(list) ((struct sk_buff *)NULL)
static const int length;
#define __skb_queue_tail(list, skb)                                                                \
	({                                                                                         \
		__skb_queue_tail(list, skb);                                                       \
		BUG_ON(length != 0);                                                               \
		break;                                                                             \
	})
#endif
