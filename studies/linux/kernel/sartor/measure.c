// SPDX-License-Identifier: GPL-2.0-only
/*
 * Times sends from within the kernel: a system call of a program in User-Mode
 * Linux takes twenty times as long as a send.
 */
#include <linux/sched.h>
#include <linux/socket.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include "measure.h"

static inline u64 ticks(void)
{
	u32 low, high;

	asm volatile("lfence; rdtsc; lfence" : "=a"(low), "=d"(high) : : "memory");
	return (u64)high << 32 | low;
}

static long send(unsigned int way, struct sartor_token *token, const struct sartor_measure *call)
{
	void __user *buffer = (void __user *)call->buffer;

	switch (way) {
	case SARTOR_WAY_SENDTO:
		return __sys_sendto(call->fd, buffer, call->size, call->flags, NULL, 0);
	case SARTOR_WAY_GENERIC:
		return sartor_token_send_generic(token, buffer, call->size);
	default:
		return sartor_token_send(token, buffer, call->size, call->flags);
	}
}

/* The counter of some processors goes in steps of dozens: a batch is timed as a whole. */
static long batch(unsigned int way, struct sartor_token *token, const struct sartor_measure *call,
		  u32 *sample)
{
	const u64 begin = ticks();
	long result = 0;
	u32 i;

	for (i = 0; i < SARTOR_BATCH && result >= 0; ++i)
		result = send(way, token, call);
	*sample = ticks() - begin;
	return result;
}

long sartor_measure(struct sartor_token *token, struct sartor_measure *call)
{
	const size_t bytes = sizeof(u32) * SARTOR_WAYS * call->count;
	u32 *samples;
	u32 i, k;
	long result = 0;

	if (!token->code)
		return -ENOENT;
	if (call->count == 0 || call->count > 1 << 20)
		return -EINVAL;
	samples = vzalloc(bytes);
	if (!samples)
		return -ENOMEM;
	for (i = 0; i < call->count && result >= 0; ++i) {
		for (k = 0; k < SARTOR_WAYS && result >= 0; ++k) {
			const u32 way = (i + k) % SARTOR_WAYS; /* in turn the first */

			result = batch(way, token, call, samples + way * call->count + i);
		}
		cond_resched();
	}
	call->result = result;
	if (copy_to_user((void __user *)call->samples, samples, bytes))
		result = -EFAULT;
	vfree(samples);
	return result < 0 ? result : 0;
}
