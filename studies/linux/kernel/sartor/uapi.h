/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/* The interface of /dev/sartor, for programs. */
#ifndef SARTOR_UAPI_H
#define SARTOR_UAPI_H

#include <linux/ioctl.h>
#include <linux/types.h>

/*
 * do_customize(): a token for sends over a connected UDP socket. A send by the
 * token with other flags or another size than these is generic.
 */
struct sartor_customize {
	__s32 fd;
	__u32 flags; /* of send(); O_NONBLOCK of the file counts as MSG_DONTWAIT */
	__u32 size;  /* of a message; 0: any */
	__u32 token; /* out */
};

/* customized_send() */
struct sartor_send {
	__u32 token;
	__u32 flags;
	__u64 buffer;
	__u64 size;
};

/* Waits until the token has specialized code, or the time is up: ETIME. */
struct sartor_wait {
	__u32 token;
	__u32 milliseconds;
};

struct sartor_status {
	__u32 token;
	__u32 active;	     /* whether sends run specialized code */
	__u32 variant_bytes; /* of the last answer */
	__u32 pages;	     /* that the server has asked for, of all requests */
	__u64 request_ns;    /* of the last request */
	__u64 address;	     /* of the token's code */
	__u64 invalidations; /* of all contexts */
	__u64 specialized;   /* sends of the token, by kind of code */
	__u64 generic;
};

enum sartor_way {
	SARTOR_WAY_SENDTO,  /* __sys_sendto() */
	SARTOR_WAY_GENERIC, /* the handler's generic code */
	SARTOR_WAY_TOKEN,   /* customized_send() */
	SARTOR_WAYS
};

/* Sends of one way, timed as a whole, before the next. */
#define SARTOR_BATCH 32

/*
 * Times sends in the kernel, each way in turn. samples: an array
 * [SARTOR_WAYS][count] of __u32, ticks of a batch.
 */
struct sartor_measure {
	__s32 fd;
	__u32 token;
	__u32 flags;
	__u32 size;
	__u32 count;  /* of batches */
	__s32 result; /* out: of the last send */
	__u64 buffer;
	__u64 samples;
};

#define SARTOR_CUSTOMIZE _IOWR('S', 1, struct sartor_customize)
#define SARTOR_SEND _IOW('S', 2, struct sartor_send)
#define SARTOR_CANCEL _IOW('S', 3, __u32)
#define SARTOR_WAIT _IOW('S', 4, struct sartor_wait)
#define SARTOR_STATUS _IOWR('S', 5, struct sartor_status)
#define SARTOR_MEASURE _IOWR('S', 6, struct sartor_measure)

#endif
