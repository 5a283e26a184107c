/* SPDX-License-Identifier: GPL-2.0-only */
/* The guarantees of tokens, with a server (SERVER=yes) and without one. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest.h"

static int wrong;

#define EXPECT(what)                                                                               \
  do {                                                                                             \
    if (!(what)) {                                                                                 \
      printf("WRONG line %d: %s (%s)\n", __LINE__, #what, strerror(errno));                        \
      wrong = 1;                                                                                   \
    }                                                                                              \
  } while (0)

static char message[1024];

static int receiver_at(uint16_t port) {
  const int fd = socket(AF_INET, SOCK_DGRAM, 0);
  struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(port)};
  if (bind(fd, (struct sockaddr *)&at, sizeof at) != 0)
    fail("bind");
  return fd;
}

/* Sends a message by a token and reads it. */
static int arrives(unsigned token, int receiver, size_t size) {
  char got[sizeof message + 1];
  for (size_t i = 0; i < size; ++i)
    message[i] = (char)(message[i] + (char)i + 1);
  return customized_send(token, message, size, MSG_DONTWAIT) == (long)size &&
         recv(receiver, got, sizeof got, MSG_DONTWAIT) == (ssize_t)size &&
         memcmp(got, message, size) == 0;
}

static int sender_to(uint16_t port) {
  const int fd = socket(AF_INET, SOCK_DGRAM, 0);
  if (connect_to(fd, "127.0.0.1", port) != 0 || send(fd, "", 1, 0) != 1)
    fail("sender");
  return fd;
}

static void drain(int fd) {
  char got[sizeof message];
  while (recv(fd, got, sizeof got, MSG_DONTWAIT) >= 0)
    ;
}

static void several_tokens_of_a_socket(int has_server) {
  const int receiver = receiver_at(9);
  const int fd = sender_to(9);
  const unsigned small = customize(fd, 64, MSG_DONTWAIT);
  const unsigned large = customize(fd, 1024, MSG_DONTWAIT);
  const unsigned any = customize(fd, 0, MSG_DONTWAIT);
  drain(receiver);
  EXPECT(small && large && any);
  if (has_server) {
    EXPECT(wait_for(small, 60000) == 0);
    EXPECT(wait_for(large, 60000) == 0);
    EXPECT(wait_for(any, 60000) == 0);
    EXPECT(status_of(small).address != status_of(large).address);
  } else {
    EXPECT(wait_for(small, 100) == -1 && errno == ETIME);
  }
  EXPECT(arrives(small, receiver, 64) && arrives(large, receiver, 1024) &&
         arrives(any, receiver, 77));
  EXPECT(arrives(small, receiver, 65)); /* generic */
  EXPECT(status_of(small).specialized == (has_server ? 1u : 0u));
  EXPECT(status_of(any).specialized == (has_server ? 1u : 0u));
  EXPECT(cancel(small) == 0);
  EXPECT(cancel(small) == -1 && errno == EBADF);
  EXPECT(customized_send(small, message, 64, MSG_DONTWAIT) == -1 && errno == EBADF);
  EXPECT(arrives(large, receiver, 1024));
  EXPECT(cancel(large) == 0 && cancel(any) == 0);
  close(fd);
  close(receiver);
}

static void many_tokens_of_a_socket_are_active_at_once(void) {
  enum { count = 8 };
  const int receiver = receiver_at(9);
  const int fd = sender_to(9);
  unsigned tokens[count];
  for (unsigned i = 0; i < count; ++i)
    EXPECT((tokens[i] = customize(fd, 100 + i, MSG_DONTWAIT)));
  drain(receiver);
  for (unsigned i = 0; i < count; ++i)
    EXPECT(wait_for(tokens[i], 60000) == 0);
  for (unsigned i = 0; i < count; ++i) {
    EXPECT(arrives(tokens[i], receiver, 100 + i));
    EXPECT(status_of(tokens[i]).specialized == 1);
  }
  for (unsigned i = 0; i < count; ++i)
    EXPECT(cancel(tokens[i]) == 0);
  close(fd);
  close(receiver);
}

static void the_end_of_a_socket(int has_server) {
  const int receiver = receiver_at(9);
  const int fd = sender_to(9);
  const unsigned token = customize(fd, 64, MSG_DONTWAIT);
  if (has_server)
    EXPECT(wait_for(token, 60000) == 0);
  close(fd);
  EXPECT(customized_send(token, message, 64, MSG_DONTWAIT) == -1 && errno == EBADF);
  EXPECT(!status_of(token).active);
  EXPECT(cancel(token) == 0);
  close(receiver);
}

static void changes_make_it_generic_and_back(void) {
  const int receiver = receiver_at(9);
  const int fd = sender_to(9);
  const int ttl = 9;
  const unsigned token = customize(fd, 64, MSG_DONTWAIT);
  drain(receiver);
  EXPECT(wait_for(token, 60000) == 0);
  const uint64_t before = status_of(token).invalidations;
  EXPECT(setsockopt(fd, IPPROTO_IP, IP_TTL, &ttl, sizeof ttl) == 0);
  EXPECT(!status_of(token).active);
  EXPECT(status_of(token).invalidations == before + 1);
  EXPECT(arrives(token, receiver, 64));
  EXPECT(wait_for(token, 60000) == 0);
  EXPECT(arrives(token, receiver, 64));
  EXPECT(status_of(token).specialized == 1);
  EXPECT(set_mtu("lo", 1400) == 0);
  EXPECT(!status_of(token).active);
  EXPECT(wait_for(token, 60000) == 0);
  cancel(token);
  close(fd);
  close(receiver);
}

static void limits(void) {
  const int receiver = receiver_at(9);
  int fds[17];
  unsigned tokens[64];
  for (unsigned i = 0; i < 17; ++i)
    fds[i] = sender_to(9);
  for (unsigned i = 0; i < 16; ++i)
    EXPECT((tokens[i] = customize(fds[i], 64, 0)));
  EXPECT(!customize(fds[16], 64, 0) && errno == ENOSPC);
  for (unsigned i = 16; i < 64; ++i)
    EXPECT((tokens[i] = customize(fds[i % 16], i, 0)));
  EXPECT(!customize(fds[0], 64, 0) && errno == ENOSPC);
  for (unsigned i = 0; i < 64; ++i)
    EXPECT(cancel(tokens[i]) == 0);
  for (unsigned i = 0; i < 17; ++i)
    close(fds[i]);
  EXPECT(!customize(fds[0], 64, 0) && errno == EBADF);
  close(receiver);
}

/* A stream is not customized, but its token sends. */
static void other_sockets(void) {
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0)
    fail("pair");
  const unsigned token = customize(pair[0], 64, 0);
  EXPECT(token && wait_for(token, 50) == -1 && errno == ETIME);
  EXPECT(customized_send(token, message, 64, 0) == 64);
  cancel(token);
  close(pair[0]);
  close(pair[1]);
}

static void tokens_are_of_a_file(void) {
  const int receiver = receiver_at(9);
  const int fd = sender_to(9);
  const int mine = sartor;
  const unsigned token = customize(fd, 64, MSG_DONTWAIT);
  open_sartor();
  EXPECT(customized_send(token, message, 64, MSG_DONTWAIT) == -1 && errno == EBADF);
  close(sartor);
  sartor = mine;
  EXPECT(customized_send(token, message, 64, MSG_DONTWAIT) == 64);
  cancel(token);
  close(fd);
  close(receiver);
}

/* Two processes send, one of them changes options: nothing is lost, and the last option counts. */
static void changes_while_others_send(void) {
  enum { count = 2000 };
  const int receiver = receiver_at(9);
  const int fd = sender_to(9);
  const int room = 1 << 24;
  const unsigned token = customize(fd, 64, MSG_DONTWAIT);
  int status = -1;
  setsockopt(receiver, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof room);
  drain(receiver);
  const pid_t child = fork();
  if (child == 0) {
    int lost = 0;
    for (int i = 0; i < count; ++i)
      lost += customized_send(token, message, 64, MSG_DONTWAIT) != 64;
    _exit(lost != 0);
  }
  for (int i = 0; i < 200; ++i) {
    const int tos = i * 4;
    EXPECT(setsockopt(fd, IPPROTO_IP, IP_TOS, &tos, sizeof tos) == 0);
    EXPECT(customized_send(token, message, 64, MSG_DONTWAIT) == 64);
    usleep(i % 8 ? 100 : 20000);
  }
  EXPECT(waitpid(child, &status, 0) == child && status == 0);
  int got = 0;
  while (recv(receiver, message, sizeof message, MSG_DONTWAIT) == 64)
    ++got;
  EXPECT(got == count + 200);
  cancel(token);
  close(fd);
  close(receiver);
}

int interface(void) {
  const int has_server = (int)setting("ANSWERS", 1);
  several_tokens_of_a_socket(has_server);
  the_end_of_a_socket(has_server);
  if (has_server) {
    changes_make_it_generic_and_back();
    many_tokens_of_a_socket_are_active_at_once();
  }
  limits();
  other_sockets();
  tokens_are_of_a_file();
  changes_while_others_send();
  return wrong;
}
