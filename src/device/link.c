/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _GNU_SOURCE
#include "device/link.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static const char tcp[] = "tcp://";
static const char local[] = "unix:";

uint64_t sartor_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Waits until the socket is ready. Returns zero if the deadline has passed. */
static int wait_for(const struct sartor_link *link, short events) {
  for (;;) {
    const uint64_t now = sartor_now();
    if (now >= link->deadline)
      return 0;
    struct pollfd poll_for = {link->socket, events, 0};
    const uint64_t left = (link->deadline - now) / 1000000u + 1;
    const int ready = poll(&poll_for, 1, left < 1000 ? (int)left : 1000);
    if (ready > 0)
      return 1;
    if (ready < 0 && errno != EINTR)
      return 0;
  }
}

static int connect_to(struct sartor_link *link, int family, const struct sockaddr *address,
                      socklen_t size) {
  const int on = 1;
  int error = 0;
  socklen_t error_size = sizeof error;
  link->socket = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (link->socket < 0)
    return 0;
  link->own = sartor_own_file_of(link->socket);
  if (connect(link->socket, address, size) == 0 ||
      ((errno == EINPROGRESS || errno == EINTR) && wait_for(link, POLLOUT) &&
       getsockopt(link->socket, SOL_SOCKET, SO_ERROR, &error, &error_size) == 0 && error == 0)) {
    if (family != AF_UNIX)
      setsockopt(link->socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return 1;
  }
  sartor_link_close(link);
  return 0;
}

static int connect_to_path(struct sartor_link *link, const char *path) {
  struct sockaddr_un address = {0};
  address.sun_family = AF_UNIX;
  if (strlen(path) >= sizeof address.sun_path)
    return 0;
  memcpy(address.sun_path, path, strlen(path));
  return connect_to(link, AF_UNIX, (const struct sockaddr *)&address, sizeof address);
}

/* HOST:PORT, where the host may be an IPv6 address in brackets. */
static int connect_to_host(struct sartor_link *link, const char *host_and_port) {
  char host[256];
  const char *colon = strrchr(host_and_port, ':');
  const size_t length = colon ? (size_t)(colon - host_and_port) : 0;
  if (length == 0 || length >= sizeof host)
    return 0;
  const int is_bracketed = host_and_port[0] == '[' && host_and_port[length - 1] == ']';
  if (is_bracketed && length < 3)
    return 0;
  memcpy(host, host_and_port + is_bracketed, length - 2 * (size_t)is_bracketed);
  host[length - 2 * (size_t)is_bracketed] = 0;
  struct addrinfo wanted = {0};
  struct addrinfo *found = NULL;
  wanted.ai_socktype = SOCK_STREAM;
  if (getaddrinfo(host, colon + 1, &wanted, &found) != 0)
    return 0;
  int connected = 0;
  for (const struct addrinfo *each = found; each && !connected; each = each->ai_next)
    connected = connect_to(link, each->ai_family, each->ai_addr, each->ai_addrlen);
  freeaddrinfo(found);
  return connected;
}

int sartor_link_open(struct sartor_link *link, const char *address, const char **why) {
  *why = "cannot be reached";
  if (link->system && link->system->connect) {
    link->stream = link->system->connect(link->system->context, address, link->deadline);
    return link->stream != NULL;
  }
  if (strncmp(address, tcp, sizeof tcp - 1) == 0)
    return connect_to_host(link, address + sizeof tcp - 1);
  if (strncmp(address, local, sizeof local - 1) == 0)
    return connect_to_path(link, address + sizeof local - 1);
  *why = "is no address: write tcp://HOST:PORT or unix:/PATH";
  return 0;
}

static int is_later(ssize_t done) {
  return done < 0 && (errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK);
}

int sartor_link_send(struct sartor_link *link, const void *bytes, size_t size) {
  if (link->stream) {
    const int good =
        link->system->send(link->system->context, link->stream, bytes, size, link->deadline);
    link->sent += good ? size : 0;
    return good;
  }
  const char *rest = bytes;
  while (size > 0) {
    if (!sartor_is_still_ours(link->socket, link->own))
      return 0;
    const ssize_t done = send(link->socket, rest, size, MSG_NOSIGNAL);
    if (is_later(done)) {
      if (!wait_for(link, POLLOUT))
        return 0;
    } else if (done < 0) {
      return 0;
    } else {
      rest += done;
      size -= (size_t)done;
      link->sent += (size_t)done;
    }
  }
  return 1;
}

int sartor_link_receive(struct sartor_link *link, void *bytes, size_t size) {
  if (link->stream) {
    const int good =
        link->system->receive(link->system->context, link->stream, bytes, size, link->deadline);
    link->received += good ? size : 0;
    return good;
  }
  char *rest = bytes;
  while (size > 0) {
    if (!sartor_is_still_ours(link->socket, link->own))
      return 0;
    const ssize_t done = recv(link->socket, rest, size, 0);
    if (is_later(done)) {
      if (!wait_for(link, POLLIN))
        return 0;
    } else if (done <= 0) {
      return 0;
    } else {
      rest += done;
      size -= (size_t)done;
      link->received += (size_t)done;
    }
  }
  return 1;
}

void sartor_link_close(struct sartor_link *link) {
  if (link->stream) {
    link->system->disconnect(link->system->context, link->stream);
    link->stream = NULL;
    return;
  }
  sartor_close_own(link->socket, link->own);
  link->socket = -1;
}
