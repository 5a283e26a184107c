/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Random sequences of system calls, each sequence twice: generic, and by a token. Results and all
 * bytes on the devices must be the same. A sequence begins with a socket with some options, for
 * which there is specialized code, as long as the server answers; later calls change that.
 */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "guest.h"
#include "wire.h"

enum { most_steps = 24, most_size = 4096 };

static char buffer[1 << 17];
static uint64_t state;
static unsigned specialized, generic;

static uint32_t next(void) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(state >> 33);
}
static uint32_t below(uint32_t bound) { return next() % bound; }

static int option(int fd, int level, int name, int value) {
  return setsockopt(fd, level, name, &value, sizeof value);
}

/* Where the sequence is: the socket, and the token, if it is the turn of tokens. */
struct run {
  int fd;
  unsigned token, size;
  int by_token;
};

static const char *const peers[] = {"10.1.1.2", "10.2.1.1", "10.3.1.7", "127.0.0.1"};

/* The kinds of sockets that sequences begin with. */
static void set_options(int fd, unsigned kind) {
  if (kind & 1)
    option(fd, IPPROTO_IP, IP_TTL, 7);
  if (kind & 2)
    option(fd, IPPROTO_IP, IP_TOS, 0x10);
  if (kind & 4)
    option(fd, SOL_SOCKET, SO_NO_CHECK, 1);
}

static void begin(struct run *run, unsigned kind) {
  run->fd = udp_to(peers[kind >> 3 & 3], 9);
  set_options(run->fd, kind);
  send(run->fd, buffer, 1, 0);
  run->token = 0;
  if (!run->by_token)
    return;
  run->token = customize(run->fd, run->size, MSG_DONTWAIT);
  if (run->token)
    wait_for(run->token, (unsigned)setting("PATIENCE", 10000));
}

static void finish(struct run *run) {
  if (run->token) {
    const struct sartor_status status = status_of(run->token);
    specialized += (unsigned)status.specialized;
    generic += (unsigned)status.generic;
    cancel(run->token);
  }
  close(run->fd);
}

static long send_by(struct run *run, const void *from, size_t size, unsigned flags) {
  return run->token ? customized_send(run->token, from, size, flags)
                    : send(run->fd, from, size, (int)flags);
}

/* MSG_PROXY is MSG_PROBE in the kernel. */
static long send_something(struct run *run) {
  static const unsigned flags[] = {0,
                                   MSG_MORE,
                                   MSG_CONFIRM,
                                   MSG_DONTROUTE,
                                   MSG_OOB,
                                   MSG_PROXY,
                                   MSG_CONFIRM | MSG_PROXY,
                                   MSG_ZEROCOPY};
  const unsigned kind = below(24);
  const size_t size = below(3) ? below(64) : below(most_size);
  for (unsigned i = 0; i < 64; ++i)
    buffer[i] = (char)next();
  if (kind < 18)
    return send_by(run, buffer, run->size, MSG_DONTWAIT);
  if (kind < 21)
    return send_by(run, buffer, size, MSG_DONTWAIT);
  if (kind == 21)
    return send_by(run, buffer, size, MSG_DONTWAIT | flags[below(8)]);
  if (kind == 22)
    return send_by(run, (void *)8, run->size, MSG_DONTWAIT); /* EFAULT */
  return send_by(run, buffer, 65500 + below(64), 0);         /* EMSGSIZE, some */
}

static long change_option(int fd) {
  switch (below(14)) {
  case 0:
    return option(fd, IPPROTO_IP, IP_TTL, (int)below(257) - 1);
  case 1:
    return option(fd, IPPROTO_IP, IP_TOS, (int)below(256));
  case 2:
    return option(fd, IPPROTO_IP, IP_MTU_DISCOVER, (int)below(7));
  case 3:
    return option(fd, SOL_SOCKET, SO_NO_CHECK, (int)below(2));
  case 4:
    return option(fd, IPPROTO_UDP, UDP_CORK, (int)below(2));
  case 5:
    return option(fd, SOL_SOCKET, SO_PRIORITY, (int)below(8));
  case 6:
    return option(fd, SOL_SOCKET, SO_MARK, (int)below(3));
  case 7:
    return option(fd, SOL_SOCKET, SO_SNDBUF, (int)below(1 << 16));
  case 8:
    return option(fd, IPPROTO_UDP, UDP_SEGMENT, (int)below(3) * 500);
  case 9:
    return option(fd, IPPROTO_IP, IP_RECVERR, (int)below(2));
  case 10: {
    const char *const names[] = {"dummy0", "dummy1", "lo", ""};
    const char *name = names[below(4)];
    return setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, name, (socklen_t)strlen(name));
  }
  case 11: {
    static const unsigned char record[8] = {7, 7, 4, 0, 0, 0, 0, 0};
    return setsockopt(fd, IPPROTO_IP, IP_OPTIONS, record, below(2) * 8);
  }
  case 12:
    return option(fd, SOL_SOCKET, SO_DONTROUTE, (int)below(2));
  default:
    return option(fd, SOL_SOCKET, SO_ZEROCOPY, (int)below(2));
  }
}

static long change_network(void) {
  switch (below(4)) {
  case 0:
    unset_route(below(2) ? "dummy0" : "dummy1");
    return set_route(below(2) ? "dummy0" : "dummy1");
  case 1:
    return set_mtu(below(2) ? "dummy0" : "dummy1", (int)(600 + below(900)));
  case 2:
    down("dummy1");
    return 0;
  default:
    up("dummy1", "10.3.1.1");
    return 0;
  }
}

/* Restores the state that each sequence begins with and that the last one may have changed. */
static void restore_network(void) {
  up("dummy0", "10.1.1.1");
  up("dummy1", "10.3.1.1");
  set_mtu("dummy0", 1500);
  set_mtu("dummy1", 1500);
  unset_route("dummy0");
  unset_route("dummy1");
  if (set_route("dummy0") != 0)
    fail("route");
}

static long step(struct run *run) {
  const unsigned kind = below(60);
  if (kind < 50)
    return send_something(run);
  if (kind < 56)
    return change_option(run->fd);
  if (kind == 56)
    return change_network();
  if (kind == 57) {
    wire_connected();
    return connect_to(run->fd, peers[below(4)], (uint16_t)(9 + below(2)));
  }
  if (kind == 58)
    return shutdown(run->fd, below(8) ? SHUT_RD : SHUT_WR);
  return run->token ? (wait_for(run->token, 20), 0) : 0;
}

struct outcome {
  long result;
  int error;
};

static size_t run_sequence(uint64_t seed, int by_token, struct outcome *outcomes) {
  struct run run = {.by_token = by_token};
  state = seed * 0x9e3779b97f4a7c15u + 1;
  for (size_t i = 0; i < sizeof buffer; ++i)
    buffer[i] = (char)(i * 7);
  const unsigned kind = below((unsigned)setting("KINDS", 16)) * 2 + below(2);
  const size_t steps = 4 + below(most_steps - 4);
  run.size = below(2) ? 64 : 1024;
  restore_network();
  wire_begin();
  begin(&run, kind);
  wire_connected();
  for (size_t i = 0; i < steps; ++i) {
    errno = 0;
    outcomes[i].result = step(&run);
    outcomes[i].error = errno;
    wire_read();
  }
  finish(&run);
  wire_read();
  return steps;
}

static int differs(uint64_t seed, const struct outcome *left, const struct outcome *right,
                   size_t steps) {
  for (size_t i = 0; i < steps; ++i)
    if (left[i].result != right[i].result ||
        (left[i].result < 0 && left[i].error != right[i].error)) {
      printf("DIFFERS sequence %llu step %zu: %ld (%s), by token %ld (%s)\n",
             (unsigned long long)seed, i, left[i].result, strerror(left[i].error), right[i].result,
             strerror(right[i].error));
      return 1;
    }
  return 0;
}

static int compare_sequence(uint64_t seed) {
  static struct outcome outcomes[2][most_steps];
  static struct wire generic_wire;
  const size_t steps = run_sequence(seed, 0, outcomes[0]);
  generic_wire = wire;
  run_sequence(seed, 1, outcomes[1]);
  return differs(seed, outcomes[0], outcomes[1], steps) || wire_differs(seed, &generic_wire);
}

int compare(void) {
  const long count = setting("SEQUENCES", 100);
  const long first = setting("SEED", 1);
  const long seconds = setting("SECONDS", 100000);
  struct timespec begin_time, now;
  int wrong = 0;
  long i = 0;
  signal(SIGPIPE, SIG_IGN);
  wire_open();
  clock_gettime(CLOCK_MONOTONIC, &begin_time);
  for (; i < count && wrong < 5; ++i) {
    wrong += compare_sequence((uint64_t)(first + i));
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (now.tv_sec - begin_time.tv_sec >= seconds)
      break;
  }
  printf("compared %ld sequences, %u frames, %u sends by specialized code, %u by generic\n", i,
         wire_frames, specialized, generic);
  if (setting("NEEDED", 0) > (long)specialized)
    wrong = 1;
  return wrong;
}
