// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions of the C library for the host half. User-Mode Linux wraps malloc(),
 * calloc() and free() to the kernel's allocator, which a thread of the host must
 * not enter, and leaves realloc() as it is. These are linked under other names.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct head {
	size_t size; /* as asked for */
	size_t room; /* as mapped */
};

void *sartor_host_malloc(size_t size)
{
	const size_t room = (size + sizeof(struct head) + 4095) & ~(size_t)4095;
	struct head *head;

	if (room < size)
		return NULL;
	head = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (head == MAP_FAILED)
		return NULL;
	head->size = size;
	head->room = room;
	return head + 1;
}

void sartor_host_free(void *memory)
{
	struct head *head = memory;

	if (head)
		munmap(head - 1, head[-1].room);
}

void *sartor_host_calloc(size_t count, size_t size)
{
	size_t bytes;

	return __builtin_mul_overflow(count, size, &bytes) ? NULL : sartor_host_malloc(bytes);
}

void *sartor_host_realloc(void *memory, size_t size)
{
	void *more = sartor_host_malloc(size);

	if (more && memory) {
		const size_t before = ((struct head *)memory)[-1].size;

		memcpy(more, memory, before < size ? before : size);
		sartor_host_free(memory);
	}
	return more;
}

/* Numeric addresses of IPv4 only. */
int sartor_host_getaddrinfo(const char *node, const char *service, const struct addrinfo *hints,
			    struct addrinfo **result)
{
	struct {
		struct addrinfo info;
		struct sockaddr_in address;
	} *found = sartor_host_calloc(1, sizeof(*found));

	if (!found)
		return EAI_MEMORY;
	found->address.sin_family = AF_INET;
	found->address.sin_port = htons((unsigned short)atoi(service));
	if (inet_pton(AF_INET, node, &found->address.sin_addr) != 1) {
		sartor_host_free(found);
		return EAI_NONAME;
	}
	found->info.ai_family = AF_INET;
	found->info.ai_socktype = hints->ai_socktype;
	found->info.ai_addr = (struct sockaddr *)&found->address;
	found->info.ai_addrlen = sizeof(found->address);
	*result = &found->info;
	return 0;
}

void sartor_host_freeaddrinfo(struct addrinfo *info)
{
	sartor_host_free(info);
}
