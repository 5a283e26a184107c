// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory and connections of the device runtime. User-Mode Linux replaces
 * malloc(), calloc() and free() by the kernel's allocator, which a thread of the
 * host must not enter, and functions such as getaddrinfo() call them.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "host_system.h"

struct head {
	size_t size; /* as asked for */
	size_t room; /* as mapped */
};

static void *allocate(void *context, void *memory, size_t bytes)
{
	const size_t room = (bytes + sizeof(struct head) + 4095) & ~(size_t)4095;
	struct head *old = memory ? (struct head *)memory - 1 : NULL;
	struct head *head = MAP_FAILED;

	(void)context;
	if (bytes > 0 && room >= bytes)
		head = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (bytes > 0 && head == MAP_FAILED)
		return NULL;
	if (bytes > 0) {
		head->size = bytes;
		head->room = room;
		if (old)
			memcpy(head + 1, memory, old->size < bytes ? old->size : bytes);
	}
	if (old)
		munmap(old, old->room);
	return bytes > 0 ? head + 1 : NULL;
}

/* There is one connection at a time: its socket is the stream. */
static int connection = -1;

static int socket_of(const void *stream)
{
	return *(const int *)stream;
}

static int wait_for(int fd, short events, uint64_t deadline)
{
	struct pollfd each = { fd, events, 0 };
	struct timespec now;
	int64_t left;

	clock_gettime(CLOCK_MONOTONIC, &now);
	left = (int64_t)(deadline - (uint64_t)now.tv_sec * 1000000000u - (uint64_t)now.tv_nsec);
	return left > 0 && poll(&each, 1, (int)(left / 1000000) + 1) > 0;
}

static void disconnect(void *context, void *stream)
{
	(void)context;
	close(socket_of(stream));
	connection = -1;
}

/* tcp://HOST:PORT, with a numeric address of IPv4. */
static void *connect_to(void *context, const char *server, uint64_t deadline)
{
	struct sockaddr_in address = { .sin_family = AF_INET };
	const char *host = strstr(server, "://");
	const char *port = host ? strchr(host + 3, ':') : NULL;
	char text[INET_ADDRSTRLEN] = "";
	socklen_t size = sizeof(int);
	int error = -1;

	if (!port || port - host - 3 >= (long)sizeof(text))
		return NULL;
	memcpy(text, host + 3, port - host - 3);
	address.sin_port = htons((unsigned short)atoi(port + 1));
	if (inet_pton(AF_INET, text, &address.sin_addr) != 1)
		return NULL;
	connection = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (connection < 0)
		return NULL;
	connect(connection, (const struct sockaddr *)&address, sizeof(address));
	if (wait_for(connection, POLLOUT, deadline))
		getsockopt(connection, SOL_SOCKET, SO_ERROR, &error, &size);
	if (error != 0) {
		disconnect(context, &connection);
		return NULL;
	}
	return &connection;
}

static int send_all(void *context, void *stream, const void *bytes, size_t size, uint64_t deadline)
{
	const char *rest = bytes;

	(void)context;
	while (size > 0) {
		ssize_t done;

		if (!wait_for(socket_of(stream), POLLOUT, deadline))
			return 0;
		done = send(socket_of(stream), rest, size, MSG_NOSIGNAL);
		if (done <= 0)
			return 0;
		rest += done;
		size -= done;
	}
	return 1;
}

static int receive_all(void *context, void *stream, void *bytes, size_t size, uint64_t deadline)
{
	char *rest = bytes;

	(void)context;
	while (size > 0) {
		ssize_t done;

		if (!wait_for(socket_of(stream), POLLIN, deadline))
			return 0;
		done = recv(socket_of(stream), rest, size, 0);
		if (done <= 0)
			return 0;
		rest += done;
		size -= done;
	}
	return 1;
}

const struct sartor_device_system sartor_host_system = {
	.allocate = allocate,
	.connect = connect_to,
	.send = send_all,
	.receive = receive_all,
	.disconnect = disconnect,
};
