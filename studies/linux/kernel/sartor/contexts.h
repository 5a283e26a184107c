/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SARTOR_CONTEXTS_H
#define SARTOR_CONTEXTS_H

#include <linux/list.h>
#include <linux/types.h>
#include <linux/wait.h>

#include "invariants.h"
#include "send.h"
#include "uapi.h"

struct file;

enum { SARTOR_MOST_CONTEXTS = 16, SARTOR_MOST_TOKENS = 64 };

/* A customized socket. All but sends hold sartor_lock. */
struct sartor_context {
	struct list_head all;
	struct list_head tokens;
	struct socket *sock;
	/* No reference: the guard at the socket's end clears it. */
	struct file *file;
	struct sartor_invariants invariants;
	bool is_declared;
	/* Sends that are in specialized code. They may wait there, for memory. */
	unsigned int inside;
	wait_queue_head_t left;
	unsigned long look_again; /* jiffies */
};

struct sartor_token {
	struct list_head of_context;
	struct sartor_context *context;
	unsigned int size;
	struct msghdr msg; /* with the flags */
	bool is_sending;   /* `msg` is in use */
	bool is_declared;  /* the message, among the invariants of the context */
	sartor_send_t *code;
	void *stays; /* of sartor_host_enter() */
	unsigned int binding;
	unsigned long answers; /* sartor_host_answers at the last look */
	u64 specialized;
	u64 generic;
};

struct sartor_token *sartor_token_new(int fd, unsigned int size, unsigned int flags);
void sartor_token_free(struct sartor_token *token);
long sartor_token_send(struct sartor_token *token, void __user *buffer, size_t size,
		       unsigned int flags);
/* By the handler's generic code. */
long sartor_token_send_generic(struct sartor_token *token, void __user *buffer, size_t size);
/* Requests code, or activates what has arrived. */
void sartor_token_look(struct sartor_token *token);
u64 sartor_invalidations(void);

#endif
