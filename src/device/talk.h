/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A device's conversation with a server. One thread at a time. */
#ifndef SARTOR_DEVICE_TALK_H
#define SARTOR_DEVICE_TALK_H

#include <sartor/device.h>

#include "device/channel.h"

struct sartor_talk {
  const struct sartor_device_module *module;
  char *server;
  unsigned char *server_keys; /* Of 32 bytes each: the server has one of them. */
  size_t server_key_count;
  unsigned char key[64];
  int has_key;
  struct sartor_channel channel;
  unsigned char transcript[SARTOR_DEVICE_HASH]; /* Of the greeting and the module. */
  uint64_t turn_ns;                             /* The shortest round trip; 0: none was seen. */
  char text[256];                               /* What is to be said of what has failed. */
};

enum sartor_talk_outcome {
  SARTOR_TALK_ANSWERED,
  SARTOR_TALK_REFUSED, /* By the server, which says why: it is of no use to ask again. */
  SARTOR_TALK_FORGED,
  SARTOR_TALK_LOST
};

/* What the server asks meanwhile: `kind` is a call or a page. Writes the answer's body. Zero where
 * the question makes no sense. */
typedef int (*sartor_on_question)(void *context, unsigned kind, struct sartor_reader question,
                                  struct sartor_writer *answer);

/* Until `deadline`: connects where there is no link, and says who and what this is. */
enum sartor_talk_outcome sartor_talk_begin(struct sartor_talk *talk, uint64_t deadline);
/* Asks to have something customized; `answer` is valid until the next call. After anything but an
 * answer or a refusal the link is closed. */
enum sartor_talk_outcome sartor_talk_ask(struct sartor_talk *talk, uint64_t deadline,
                                         const struct sartor_writer *question,
                                         sartor_on_question on_question, void *context,
                                         struct sartor_reader *answer);

#endif
