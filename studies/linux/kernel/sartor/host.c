// SPDX-License-Identifier: GPL-2.0-only
/*
 * The half that is a program of the host: libsartor-device in the process of
 * User-Mode Linux. A thread talks to the server, so that the kernel goes on.
 * That thread runs no code of the kernel: its memory is of host_system.c, and it
 * blocks the signals that are the kernel's interrupts.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "host.h"
#include "host_system.h"

extern const struct sartor_device_module kernel_module;

enum { patience = 60000, most_code = 1 << 20, first_pages = 16384 };

static struct sartor_device *device;
static unsigned char server_key[32];
static unsigned char own_key[64];
static char address[64];
static int wake_fd = -1;
static pthread_mutex_t text_lock = PTHREAD_MUTEX_INITIALIZER;
static char last_text[256];
unsigned long sartor_host_answers = 1;

static void report(void *context, enum sartor_device_event event, const char *text)
{
	(void)context;
	pthread_mutex_lock(&text_lock);
	snprintf(last_text, sizeof(last_text), "%d: %s\n", (int)event, text);
	pthread_mutex_unlock(&text_lock);
}

/* Fetches code whenever some is wanted. */
static void *attend(void *unused)
{
	unsigned long long calls;

	(void)unused;
	while (read(wake_fd, &calls, sizeof(calls)) == sizeof(calls)) {
		while (sartor_device_attend(device, patience) == SARTOR_DEVICE_MISSING)
			__atomic_add_fetch(&sartor_host_answers, 1, __ATOMIC_RELEASE);
		__atomic_add_fetch(&sartor_host_answers, 1, __ATOMIC_RELEASE);
	}
	return NULL;
}

static void wake(void)
{
	const unsigned long long one = 1;

	if (write(wake_fd, &one, sizeof(one)) != sizeof(one))
		return; /* the counter is full: the thread will wake */
}

static int start_thread(void)
{
	pthread_t thread;
	sigset_t all, before;
	int failed;

	wake_fd = eventfd(0, EFD_CLOEXEC);
	if (wake_fd < 0)
		return 0;
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	failed = pthread_create(&thread, NULL, attend, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return !failed;
}

int sartor_host_open(const char *server, const char *keys)
{
	struct sartor_device_options options;
	char file[320];

	if (!*server)
		return 0;
	snprintf(address, sizeof(address), "%s", server);
	snprintf(file, sizeof(file), "%s/server.pub", keys);
	if (!sartor_device_read_key(file, server_key, sizeof(server_key)))
		return 0;
	snprintf(file, sizeof(file), "%s/devices/kernel.key", keys);
	if (!sartor_device_read_key(file, own_key, sizeof(own_key)))
		return 0;
	memset(&options, 0, sizeof(options));
	options.module = &kernel_module;
	options.server = address;
	options.server_key = server_key;
	options.key = own_key;
	options.milliseconds = patience;
	options.code_bytes = most_code;
	options.contexts = 64;
	options.pages = first_pages;
	options.report = report;
	options.invariants = SARTOR_MOST_INVARIANTS;
	options.system = &sartor_host_system;
	return sartor_device_open(&options, &device) == SARTOR_DEVICE_OK && start_thread();
}

int sartor_host_declare(const void *memory, unsigned long size)
{
	unsigned int invariant;

	if (!device || sartor_device_declare_invariant(device, memory, size, &invariant))
		return -1;
	return (int)invariant;
}

/* No send is in code that depends on it: it is never busy. */
int sartor_host_revoke(unsigned int invariant)
{
	return device ? (int)sartor_device_revoke(device, invariant) : -1;
}

unsigned int sartor_host_customize(const char *handler, const void *sock, unsigned long size,
				   const void *msg)
{
	struct sartor_device_setting settings[3] = { sartor_device_pointer(0, sock),
						     sartor_device_pointer(3, msg),
						     sartor_device_argument(2, (int64_t)size) };
	sartor_device_binding binding;
	unsigned int i;

	/* The token compares them. */
	for (i = 0; i < 3; ++i)
		settings[i].unguarded = 1;
	if (!device || sartor_device_customize(device, handler, settings, size ? 3 : 2, &binding))
		return 0;
	return binding;
}

void sartor_host_cancel(unsigned int binding)
{
	sartor_device_cancel(device, binding);
}

void *sartor_host_enter(unsigned int binding, void **inside)
{
	const struct sartor_device_code code = sartor_device_enter(device, binding);

	if (code.is_variant) {
		*inside = code.inside;
		return (void *)code.function;
	}
	sartor_device_leave(device, code);
	wake();
	return NULL;
}

void sartor_host_leave(void *inside)
{
	const struct sartor_device_code code = { .inside = inside };

	if (inside)
		sartor_device_leave(device, code);
}

void sartor_host_figures(struct sartor_host_figures *figures)
{
	struct sartor_device_figures all;

	if (!device)
		return;
	all = sartor_device_figures(device);
	figures->variant_bytes = all.request_code;
	figures->pages = all.pages;
	figures->request_ns = all.request_ns;
	figures->requests = all.requests;
}

void sartor_host_report(char *text, unsigned long size)
{
	pthread_mutex_lock(&text_lock);
	snprintf(text, size, "%s", last_text);
	pthread_mutex_unlock(&text_lock);
}
