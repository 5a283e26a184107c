/* SPDX-License-Identifier: GPL-2.0-only */
/* The one program that runs on the kernel of the study. */
#ifndef GUEST_H
#define GUEST_H

#include <stddef.h>
#include <stdint.h>

#include "uapi.h"

/* Prints a line that begins with FAILED, and halts. */
_Noreturn void fail(const char *what);
_Noreturn void halt(void);
/* A number of the kernel's command line. */
long setting(const char *name, long otherwise);

/* network.c */
void up(const char *name, const char *address);
void down(const char *name);
int set_mtu(const char *name, int mtu);
/* A route to 10.2.0.0/16 over a device. */
int set_route(const char *name);
int unset_route(const char *name);
int udp_to(const char *address, uint16_t port);
int connect_to(int fd, const char *address, uint16_t port);

/* token.c; errors as by system calls: -1, and errno */
extern int sartor; /* /dev/sartor */
void open_sartor(void);
unsigned customize(int fd, unsigned size, unsigned flags);
long customized_send(unsigned token, const void *buffer, size_t size, unsigned flags);
int cancel(unsigned token);
int wait_for(unsigned token, unsigned milliseconds);
struct sartor_status status_of(unsigned token);

int compare(void);
int measure(void);
int interface(void);

#endif
