/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Frames over a link: the C implementation of remote/protocol/opening.h and remote/protocol/seal.h.
 * For use by one thread at a time. */
#ifndef SARTOR_DEVICE_CHANNEL_H
#define SARTOR_DEVICE_CHANNEL_H

#include "core/compiler/device_protocol.h"
#include "device/bytes.h"
#include "device/link.h"

struct sartor_channel {
  struct sartor_link link;
  size_t most_frame;          /* The maximum size of a frame from the server, in bytes. */
  struct sartor_writer frame; /* The body of the last frame received. */
  struct sartor_writer sent;  /* The buffer for a frame that is being sealed. */
  int is_sealed;
  unsigned char receive_key[32];
  unsigned char send_key[32];
  uint64_t received_frames;
  uint64_t sent_frames;
  unsigned char server_key[32];                         /* The key that the server has shown. */
  unsigned char binding[SARTOR_DEVICE_CHANNEL_BINDING]; /* Differs for each connection. */
};

enum sartor_channel_state { SARTOR_CHANNEL_OPEN, SARTOR_CHANNEL_LOST, SARTOR_CHANNEL_FORGED };

/* A part of a string to be hashed: base/hash.h. */
struct sartor_part {
  const void *bytes;
  size_t size;
};
void sartor_hash(unsigned char *hash, const struct sartor_part *parts, size_t count);

/* Agrees on keys, over an open link, with a server that has one of `count` keys of 32 bytes.
 * Returns SARTOR_CHANNEL_FORGED if the other side has none of them. */
enum sartor_channel_state sartor_channel_open(struct sartor_channel *channel,
                                              const unsigned char *server_keys, size_t count);
/* Returns zero if the other side has gone. */
int sartor_channel_send(struct sartor_channel *channel, unsigned kind, const void *body,
                        size_t size);
/* Returns the kind of the next frame, whose body is in `frame`; -1 if the other side has gone, or
 * was too slow; -2 if the frame is not the server's. */
int sartor_channel_receive(struct sartor_channel *channel);
void sartor_channel_close(struct sartor_channel *channel);

#endif
