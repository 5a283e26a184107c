/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A stream to a server, by a socket. */
#ifndef SARTOR_DEVICE_LINK_H
#define SARTOR_DEVICE_LINK_H

#include <stddef.h>
#include <stdint.h>

#include "device/own_file.h"

/* Nanoseconds of a clock that only goes forward. */
uint64_t sartor_now(void);
static const uint64_t sartor_millisecond = 1000000;

struct sartor_link {
  int socket; /* -1: none. */
  struct sartor_own_file own;
  uint64_t deadline; /* By sartor_now(): what is not done by then fails. */
  uint64_t sent;     /* Bytes, ever. */
  uint64_t received;
};

/* To tcp://HOST:PORT or unix:/PATH. Nonzero if it is there; `*why` is a text otherwise. */
int sartor_link_open(struct sartor_link *link, const char *address, const char **why);
/* All of it, or zero. */
int sartor_link_send(struct sartor_link *link, const void *bytes, size_t size);
int sartor_link_receive(struct sartor_link *link, void *bytes, size_t size);
void sartor_link_close(struct sartor_link *link);

#endif
