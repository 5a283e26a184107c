// SPDX-License-Identifier: GPL-2.0-only
/* /dev/sartor: do_customize(), customized_send() and cancel(). */
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/init.h>
#include <linux/jiffies.h>
#include <linux/miscdevice.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "contexts.h"
#include "host.h"
#include "measure.h"

int __weak sartor_host_open(const char *server, const char *keys)
{
	return 0;
}
int __weak sartor_host_declare(const void *memory, unsigned long size)
{
	return -1;
}
int __weak sartor_host_revoke(unsigned int invariant)
{
	return -1;
}
unsigned int __weak sartor_host_customize(const char *handler, const void *sock, unsigned long size,
					  const void *msg)
{
	return 0;
}
void __weak sartor_host_cancel(unsigned int binding)
{
}
void *__weak sartor_host_enter(unsigned int binding, void **inside)
{
	return NULL;
}
void __weak sartor_host_leave(void *inside)
{
}
void __weak sartor_host_figures(struct sartor_host_figures *figures)
{
}
void __weak sartor_host_report(char *text, unsigned long size)
{
	*text = 0;
}
unsigned long __weak sartor_host_answers;

/* The kernel's arguments: where the server is, and the directory with the keys. */
static char server[64];
static char keys[256];

static int __init set_server(char *text)
{
	strscpy(server, text, sizeof(server));
	return 1;
}
__setup("sartor_server=", set_server);

static int __init set_keys(char *text)
{
	strscpy(keys, text, sizeof(keys));
	return 1;
}
__setup("sartor_keys=", set_keys);

/* Tokens of an open file, by number - 1. A token is used by its file only. */
struct tokens {
	struct sartor_token *by_number[SARTOR_MOST_TOKENS];
	/* Calls by each token; cancel() refuses while there are. Without a token, one reserves the
	 * number. */
	unsigned int calls[SARTOR_MOST_TOKENS];
};

static struct sartor_token *take(struct tokens *tokens, u32 number)
{
	struct sartor_token *token;

	if (number - 1 >= SARTOR_MOST_TOKENS)
		return NULL;
	token = tokens->by_number[number - 1];
	if (token)
		++tokens->calls[number - 1];
	return token;
}

static void put(struct tokens *tokens, u32 number)
{
	--tokens->calls[number - 1];
}

static long customize(struct tokens *tokens, struct sartor_customize __user *to)
{
	struct sartor_customize wanted;
	struct sartor_token *token;
	unsigned long failed;
	u32 number;

	if (copy_from_user(&wanted, to, sizeof(wanted)))
		return -EFAULT;
	token = sartor_token_new(wanted.fd, wanted.size, wanted.flags);
	if (IS_ERR(token))
		return PTR_ERR(token);
	for (number = 1; number <= SARTOR_MOST_TOKENS; ++number)
		if (!tokens->by_number[number - 1] && !tokens->calls[number - 1])
			break;
	if (number > SARTOR_MOST_TOKENS) {
		sartor_token_free(token);
		return -ENOSPC;
	}
	wanted.token = number;
	/* No thread may use the token before the number has been written, which may wait or fail.
	 */
	++tokens->calls[number - 1];
	failed = copy_to_user(to, &wanted, sizeof(wanted));
	--tokens->calls[number - 1];
	if (failed) {
		sartor_token_free(token);
		return -EFAULT;
	}
	tokens->by_number[number - 1] = token;
	return 0;
}

static long send(struct tokens *tokens, const struct sartor_send __user *from)
{
	struct sartor_send call;
	struct sartor_token *token;
	long result;

	if (copy_from_user(&call, from, sizeof(call)))
		return -EFAULT;
	token = take(tokens, call.token);
	if (!token)
		return -EBADF;
	result = sartor_token_send(token, (void __user *)call.buffer, call.size, call.flags);
	put(tokens, call.token);
	return result;
}

static long cancel(struct tokens *tokens, u32 number)
{
	struct sartor_token *token = take(tokens, number);

	if (!token)
		return -EBADF;
	put(tokens, number);
	if (tokens->calls[number - 1])
		return -EBUSY;
	tokens->by_number[number - 1] = NULL;
	sartor_token_free(token);
	return 0;
}

static long wait(struct tokens *tokens, const struct sartor_wait __user *from)
{
	struct sartor_wait call;
	struct sartor_token *token;
	unsigned long until;
	long result = -ETIME;

	if (copy_from_user(&call, from, sizeof(call)))
		return -EFAULT;
	token = take(tokens, call.token);
	if (!token)
		return -EBADF;
	until = jiffies + msecs_to_jiffies(call.milliseconds);
	for (;;) {
		sartor_token_look(token);
		if (token->code) {
			result = 0;
			break;
		}
		if (time_after(jiffies, until))
			break;
		if (msleep_interruptible(1)) {
			result = -EINTR;
			break;
		}
	}
	put(tokens, call.token);
	return result;
}

static long status(struct tokens *tokens, struct sartor_status __user *to)
{
	struct sartor_host_figures figures = {};
	struct sartor_status status;
	struct sartor_token *token;

	if (copy_from_user(&status, to, sizeof(status)))
		return -EFAULT;
	token = take(tokens, status.token);
	if (!token)
		return -EBADF;
	sartor_host_figures(&figures);
	status.active = token->code != NULL;
	status.variant_bytes = figures.variant_bytes;
	status.pages = figures.pages;
	status.request_ns = figures.request_ns;
	status.address = (u64)token->code;
	status.invalidations = sartor_invalidations();
	status.specialized = token->specialized;
	status.generic = token->generic;
	put(tokens, status.token);
	return copy_to_user(to, &status, sizeof(status)) ? -EFAULT : 0;
}

static long measure(struct tokens *tokens, struct sartor_measure __user *to)
{
	struct sartor_measure call;
	struct sartor_token *token;
	long result;

	if (copy_from_user(&call, to, sizeof(call)))
		return -EFAULT;
	token = take(tokens, call.token);
	if (!token)
		return -EBADF;
	result = sartor_measure(token, &call);
	put(tokens, call.token);
	if (!result && copy_to_user(to, &call, sizeof(call)))
		result = -EFAULT;
	return result;
}

static long device_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct tokens *tokens = file->private_data;
	void __user *to = (void __user *)arg;
	u32 number;

	switch (cmd) {
	case SARTOR_CUSTOMIZE:
		return customize(tokens, to);
	case SARTOR_SEND:
		return send(tokens, to);
	case SARTOR_CANCEL:
		return get_user(number, (u32 __user *)to) ? -EFAULT : cancel(tokens, number);
	case SARTOR_WAIT:
		return wait(tokens, to);
	case SARTOR_STATUS:
		return status(tokens, to);
	case SARTOR_MEASURE:
		return measure(tokens, to);
	}
	return -ENOTTY;
}

/* The last line that the runtime has reported. */
static ssize_t device_read(struct file *file, char __user *to, size_t size, loff_t *offset)
{
	char text[256];

	sartor_host_report(text, sizeof(text));
	return simple_read_from_buffer(to, size, offset, text, strlen(text));
}

static int device_open(struct inode *inode, struct file *file)
{
	static bool is_open;

	if (!is_open)
		is_open = sartor_host_open(server, keys);
	file->private_data = kzalloc(sizeof(struct tokens), GFP_KERNEL);
	return file->private_data ? 0 : -ENOMEM;
}

static int device_release(struct inode *inode, struct file *file)
{
	struct tokens *tokens = file->private_data;
	u32 i;

	for (i = 0; i < SARTOR_MOST_TOKENS; ++i)
		if (tokens->by_number[i])
			sartor_token_free(tokens->by_number[i]);
	kfree(tokens);
	return 0;
}

static const struct file_operations operations = {
	.owner = THIS_MODULE,
	.open = device_open,
	.release = device_release,
	.read = device_read,
	.unlocked_ioctl = device_ioctl,
};

static struct miscdevice device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "sartor",
	.fops = &operations,
};

static int __init sartor_device_init(void)
{
	return misc_register(&device);
}
late_initcall(sartor_device_init);
