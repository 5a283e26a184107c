// SPDX-License-Identifier: GPL-2.0-only
/*
 * Customized sockets and their tokens. This kernel has one processor and is
 * not preempted, so a send needs no lock until it waits.
 */
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/jiffies.h>
#include <linux/mutex.h>
#include <linux/rtnetlink.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/socket.h>
#include <net/sock.h>

#include "contexts.h"
#include "guards.h"
#include "host.h"

/* After an invalidation: the same invariants are likely to change again soon. */
#define LOOK_AGAIN (HZ / 10)

static DEFINE_MUTEX(sartor_lock);
static LIST_HEAD(contexts);
unsigned int sartor_context_count;
unsigned int sartor_writers;
static u64 invalidations;

u64 sartor_invalidations(void)
{
	return invalidations;
}

static void deactivate(struct sartor_token *token)
{
	if (token->stays)
		sartor_host_leave(token->stays);
	token->stays = NULL;
	if (token->binding)
		sartor_host_cancel(token->binding);
	token->binding = 0;
}

/* Afterwards the invariants may change, and no send is in code that depends on them. */
static void invalidate(struct sartor_context *context)
{
	struct sartor_token *token;

	list_for_each_entry (token, &context->tokens, of_context)
		WRITE_ONCE(token->code, NULL);
	if (!context->is_declared)
		return;
	wait_event(context->left, !READ_ONCE(context->inside));
	list_for_each_entry (token, &context->tokens, of_context) {
		deactivate(token);
		token->is_declared = false;
	}
	sartor_revoke_invariants(&context->invariants);
	context->is_declared = false;
	context->look_again = jiffies + LOOK_AGAIN;
	++invalidations;
}

static int declare(struct sartor_context *context)
{
	int err;

	if (context->is_declared)
		return 0;
	if (!context->sock || sartor_writers || time_before(jiffies, context->look_again))
		return -EAGAIN;
	/* A device or a route may be about to change. */
	if (!rtnl_trylock())
		return -EAGAIN;
	err = sartor_declare_invariants(context->sock, &context->invariants);
	rtnl_unlock();
	context->is_declared = !err;
	if (err)
		context->look_again = jiffies + LOOK_AGAIN;
	return err;
}

static void look(struct sartor_token *token)
{
	struct sartor_context *context = token->context;

	if (token->code || declare(context))
		return;
	if (!token->is_declared && sartor_declare_message(&token->msg, &context->invariants))
		return;
	token->is_declared = true;
	if (!token->binding)
		token->binding = sartor_host_customize("sartor_udp_send", context->sock,
						       token->size, &token->msg);
	token->answers = sartor_host_answers;
	if (token->binding)
		token->code = sartor_host_enter(token->binding, &token->stays);
}

void sartor_token_look(struct sartor_token *token)
{
	if (!mutex_trylock(&sartor_lock))
		return;
	look(token);
	mutex_unlock(&sartor_lock);
}

static struct sartor_context *context_of(const struct socket *sock)
{
	struct sartor_context *each;

	list_for_each_entry (each, &contexts, all)
		if (each->sock == sock)
			return each;
	return NULL;
}

static struct sartor_context *context_new(struct socket *sock)
{
	struct sartor_context *context = context_of(sock);

	if (context)
		return context;
	if (sartor_context_count == SARTOR_MOST_CONTEXTS)
		return ERR_PTR(-ENOSPC);
	context = kzalloc(sizeof(*context), GFP_KERNEL);
	if (!context)
		return ERR_PTR(-ENOMEM);
	context->sock = sock;
	context->file = sock->file;
	context->look_again = jiffies;
	INIT_LIST_HEAD(&context->tokens);
	init_waitqueue_head(&context->left);
	list_add(&context->all, &contexts);
	++sartor_context_count;
	return context;
}

static void context_free(struct sartor_context *context)
{
	invalidate(context);
	list_del(&context->all);
	--sartor_context_count;
	kfree(context);
}

struct sartor_token *sartor_token_new(int fd, unsigned int size, unsigned int flags)
{
	struct sartor_context *context;
	struct sartor_token *token;
	struct socket *sock;
	int err;

	sock = sockfd_lookup(fd, &err);
	if (!sock)
		return ERR_PTR(err);
	token = kzalloc(sizeof(*token), GFP_KERNEL);
	if (!token) {
		sockfd_put(sock);
		return ERR_PTR(-ENOMEM);
	}
	mutex_lock(&sartor_lock);
	context = context_new(sock);
	if (IS_ERR(context)) {
		kfree(token);
		token = ERR_CAST(context);
	} else {
		token->context = context;
		token->size = size;
		token->msg.msg_flags = flags;
		list_add(&token->of_context, &context->tokens);
		look(token);
	}
	mutex_unlock(&sartor_lock);
	sockfd_put(sock);
	return token;
}

void sartor_token_free(struct sartor_token *token)
{
	struct sartor_context *context = token->context;

	mutex_lock(&sartor_lock);
	WRITE_ONCE(token->code, NULL);
	wait_event(context->left, !READ_ONCE(context->inside));
	/* The invariants of its message are among those of the context. */
	if (token->is_declared)
		invalidate(context);
	deactivate(token);
	list_del(&token->of_context);
	if (list_empty(&context->tokens))
		context_free(context);
	mutex_unlock(&sartor_lock);
	kfree(token);
}

/* Returns NULL if the socket has ended. The reference keeps it. */
static struct file *file_of(const struct sartor_context *context)
{
	struct file *file = READ_ONCE(context->file);

	return file && get_file_rcu(file) ? file : NULL;
}

long sartor_token_send_generic(struct sartor_token *token, void __user *buffer, size_t size)
{
	struct file *file = file_of(token->context);
	long result = -EBUSY;

	if (!file)
		return -EBADF;
	if (!token->is_sending) {
		token->is_sending = true;
		result = sartor_udp_send(token->context->sock, buffer, size, &token->msg);
		token->is_sending = false;
	}
	fput(file);
	return result;
}

long sartor_token_send(struct sartor_token *token, void __user *buffer, size_t size,
		       unsigned int flags)
{
	struct sartor_context *context = token->context;
	struct file *file = file_of(context);
	sartor_send_t *code;
	long result;

	if (!file)
		return -EBADF;
	flags &= ~MSG_INTERNAL_SENDMSG_FLAGS;
	if (file->f_flags & O_NONBLOCK)
		flags |= MSG_DONTWAIT;
	code = READ_ONCE(token->code);
	if (code && !token->is_sending && flags == token->msg.msg_flags &&
	    (size == token->size || !token->size)) {
		++context->inside;
		++token->specialized;
		token->is_sending = true;
		result = code(context->sock, buffer, size, &token->msg);
		token->is_sending = false;
		if (--context->inside == 0 && waitqueue_active(&context->left))
			wake_up(&context->left);
	} else {
		++token->generic;
		result = sartor_generic_send(context->sock, buffer, size, flags);
		if (!code && (!context->is_declared || token->answers != sartor_host_answers))
			sartor_token_look(token);
	}
	fput(file);
	return result;
}

void sartor_change_socket(struct socket *sock)
{
	struct sartor_context *context;

	mutex_lock(&sartor_lock);
	context = context_of(sock);
	if (context)
		invalidate(context);
	mutex_unlock(&sartor_lock);
}

void sartor_end_socket(struct socket *sock)
{
	struct sartor_context *context;

	mutex_lock(&sartor_lock);
	context = context_of(sock);
	if (context) {
		invalidate(context);
		context->sock = NULL;
		context->file = NULL;
	}
	mutex_unlock(&sartor_lock);
}

void sartor_change_device(const struct net_device *dev)
{
	struct sartor_context *context;

	mutex_lock(&sartor_lock);
	list_for_each_entry (context, &contexts, all)
		if (context->is_declared && context->invariants.dev == dev)
			invalidate(context);
	mutex_unlock(&sartor_lock);
}
