/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A stream to a server, over a socket. */
#ifndef SARTOR_DEVICE_LINK_H
#define SARTOR_DEVICE_LINK_H

#include <stddef.h>
#include <stdint.h>

#include <sartor/device/device.h>

#include "device/own_file.h"

/* Nanoseconds of a monotonic clock. */
uint64_t sartor_now(void);
static const uint64_t sartor_millisecond = 1000000;

struct sartor_link {
  const struct sartor_device_system *system; /* May be null. */
  void *stream;                              /* A stream of the system's, or null. */
  int socket;                                /* -1 if there is none. */
  struct sartor_own_file own;
  uint64_t deadline; /* A time of sartor_now(): operations that are not complete by then fail. */
  uint64_t sent;     /* The total number of bytes. */
  uint64_t received;
};

static inline int sartor_link_is_open(const struct sartor_link *link) {
  return link->socket >= 0 || link->stream;
}
/* Connects to tcp://HOST:PORT or unix:/PATH. Returns nonzero on success; otherwise `*why` is the
 * reason. */
int sartor_link_open(struct sartor_link *link, const char *address, const char **why);
/* Sends all of it, or returns zero. */
int sartor_link_send(struct sartor_link *link, const void *bytes, size_t size);
int sartor_link_receive(struct sartor_link *link, void *bytes, size_t size);
void sartor_link_close(struct sartor_link *link);

#endif
