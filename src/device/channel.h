/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Frames over a link: remote/protocol/opening.h and remote/protocol/seal.h, for C. One thread at a
 * time. */
#ifndef SARTOR_DEVICE_CHANNEL_H
#define SARTOR_DEVICE_CHANNEL_H

#include "core/compiler/device_protocol.h"
#include "device/bytes.h"
#include "device/link.h"

struct sartor_channel {
  struct sartor_link link;
  size_t most_frame;          /* Bytes that are taken from the server at a time. */
  struct sartor_writer frame; /* The body of the last frame received. */
  struct sartor_writer sent;  /* Room for a frame that is being sealed. */
  int is_sealed;
  unsigned char receive_key[32];
  unsigned char send_key[32];
  uint64_t received_frames;
  uint64_t sent_frames;
  unsigned char server_key[32];                 /* The one that the server has shown. */
  unsigned char binding[SARTOR_DEVICE_BINDING]; /* Differs for each connection. */
};

enum sartor_channel_state { SARTOR_CHANNEL_OPEN, SARTOR_CHANNEL_LOST, SARTOR_CHANNEL_FORGED };

/* Hashes strings one after the other: base/hash.h. */
struct sartor_part {
  const void *bytes;
  size_t size;
};
void sartor_hash(unsigned char *hash, const struct sartor_part *parts, size_t count);

/* Over a link that is open: agrees on keys with a server that has one of `count` keys of 32 bytes.
 * FORGED where the other side has none of them. */
enum sartor_channel_state sartor_channel_open(struct sartor_channel *channel,
                                              const unsigned char *server_keys, size_t count);
/* Zero where the other side has gone. */
int sartor_channel_send(struct sartor_channel *channel, unsigned kind, const void *body,
                        size_t size);
/* The kind of the next frame, whose body is in `frame`. -1 where the other side has gone, or was
 * too slow; -2 where the frame is not the server's. */
int sartor_channel_receive(struct sartor_channel *channel);
void sartor_channel_close(struct sartor_channel *channel);

#endif
