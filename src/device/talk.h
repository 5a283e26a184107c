/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A device's conversation with a server. For use by one thread at a time. */
#ifndef SARTOR_DEVICE_TALK_H
#define SARTOR_DEVICE_TALK_H

#include <sartor/device/device.h>

#include "device/channel.h"

struct sartor_talk {
  const struct sartor_device_module *module;
  char *server;
  unsigned char *server_keys; /* The accepted keys, of 32 bytes each: the server has one of them. */
  size_t server_key_count;
  unsigned char key[64];
  int has_key;
  struct sartor_channel channel;
  unsigned char transcript[SARTOR_DEVICE_HASH]; /* The transcript of the greeting and the module. */
  uint64_t turn_ns; /* The shortest round trip; 0 before one was measured. */
  char text[256];   /* The description of a failure. */
};

enum sartor_talk_outcome {
  SARTOR_TALK_ANSWERED,
  SARTOR_TALK_REFUSED, /* The server has refused, with a reason: to ask again is useless. */
  SARTOR_TALK_FORGED,
  SARTOR_TALK_LOST
};

/* Answers a question of the server: `kind` is a call or a page. Writes the answer's body. Returns
 * zero if the question is invalid. */
typedef int (*sartor_on_question)(void *context, unsigned kind, struct sartor_reader question,
                                  struct sartor_writer *answer);

/* Until `deadline`: connects if there is no link, and identifies the device and its module. */
enum sartor_talk_outcome sartor_talk_begin(struct sartor_talk *talk, uint64_t deadline);
/* Requests a customization; `answer` is valid until the next call. After any outcome but an answer
 * or a refusal the link is closed. */
enum sartor_talk_outcome sartor_talk_ask(struct sartor_talk *talk, uint64_t deadline,
                                         const struct sartor_writer *question,
                                         sartor_on_question on_question, void *context,
                                         struct sartor_reader *answer);

#endif
