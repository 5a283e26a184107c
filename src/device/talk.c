/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "device/talk.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>

enum { most_calls = 100000 };

/* remote/protocol/transcript.h */
static void add(unsigned char *transcript, unsigned kind, const void *body, size_t size) {
  const unsigned char number = (unsigned char)kind;
  const struct sartor_part parts[] = {{transcript, SARTOR_DEVICE_HASH}, {&number, 1}, {body, size}};
  unsigned char next[SARTOR_DEVICE_HASH];
  sartor_hash(next, parts, 3);
  memcpy(transcript, next, sizeof next);
}

static enum sartor_talk_outcome fail(struct sartor_talk *talk, enum sartor_talk_outcome outcome,
                                     const char *why) {
  snprintf(talk->text, sizeof talk->text, "%s %s", talk->server, why);
  sartor_link_close(&talk->channel.link);
  return outcome;
}

static struct sartor_reader frame_of(const struct sartor_talk *talk) {
  const struct sartor_reader reader = {talk->channel.frame.bytes, talk->channel.frame.size, 1};
  return reader;
}

/* Numbers of ErrorCode (sartor/error.hpp), which do not change: errors for which the answer may
 * differ next time. */
static int may_pass(uint64_t code) {
  enum { compile_timeout = 17, no_compiler = 49, compiler_lost = 50, server_refused = 51 };
  return code == compile_timeout || code == no_compiler || code == compiler_lost ||
         code == server_refused;
}

/* Handles a refusal by the server. */
static enum sartor_talk_outcome refused(struct sartor_talk *talk) {
  struct sartor_reader reader = frame_of(talk);
  size_t size[3];
  const unsigned char *text[3];
  const uint64_t code = sartor_take_number(&reader, 4);
  for (unsigned i = 0; i < 3; ++i)
    text[i] = sartor_take_text(&reader, &size[i]);
  if (!reader.good)
    return fail(talk, SARTOR_TALK_LOST, "refuses, and cannot be understood");
  snprintf(talk->text, sizeof talk->text, "%.*s: %.*s (%.*s)", (int)size[0], (const char *)text[0],
           (int)size[1], (const char *)text[1], (int)size[2], (const char *)text[2]);
  if (!may_pass(code))
    return SARTOR_TALK_REFUSED;
  sartor_link_close(&talk->channel.link);
  return SARTOR_TALK_LOST;
}

/* True if the last frame is the server's answer to the transcript; removes the signature. */
static int is_signed(struct sartor_talk *talk, const unsigned char *transcript, unsigned kind) {
  static const char about[] = "Sartor's answer, 1: ";
  unsigned char text[sizeof about - 1 + SARTOR_DEVICE_HASH];
  unsigned char *state = text + sizeof about - 1;
  struct sartor_writer *frame = &talk->channel.frame;
  if (frame->size < SARTOR_DEVICE_SIGNATURE)
    return 0;
  frame->size -= SARTOR_DEVICE_SIGNATURE;
  memcpy(text, about, sizeof about - 1);
  memcpy(state, transcript, SARTOR_DEVICE_HASH);
  add(state, kind, frame->bytes, frame->size);
  return crypto_sign_ed25519_verify_detached(frame->bytes + frame->size, text, sizeof text,
                                             talk->channel.server_key) == 0;
}

/* Sends a question and answers the server's until it has answered. Accepts only signed answers. */
static enum sartor_talk_outcome ask(struct sartor_talk *talk, unsigned char *transcript,
                                    unsigned kind, const void *body, size_t size,
                                    unsigned answer_kind, sartor_on_question on_question,
                                    void *context) {
  add(transcript, kind, body, size);
  if (!sartor_channel_send(&talk->channel, kind, body, size))
    return fail(talk, SARTOR_TALK_LOST, "has gone");
  for (unsigned calls = 0; calls < most_calls; ++calls) {
    const int came = sartor_channel_receive(&talk->channel);
    if (came == -1)
      return fail(talk, SARTOR_TALK_LOST, "has gone, or takes too long");
    if (came < 0)
      return fail(talk, SARTOR_TALK_FORGED, "has sent a message that is not its own");
    if ((unsigned)came == SARTOR_FRAME_FAILED)
      return refused(talk);
    if ((unsigned)came == answer_kind)
      return is_signed(talk, transcript, answer_kind)
                 ? SARTOR_TALK_ANSWERED
                 : fail(talk, SARTOR_TALK_FORGED,
                        "has given an answer that is not signed as its own");
    if (!on_question || (came != SARTOR_FRAME_CALL && came != SARTOR_FRAME_PAGE))
      break;
    const unsigned answers = came == SARTOR_FRAME_CALL ? SARTOR_FRAME_CALLED : SARTOR_FRAME_PAGED;
    struct sartor_writer answer = {.system = talk->channel.frame.system};
    add(transcript, (unsigned)came, talk->channel.frame.bytes, talk->channel.frame.size);
    const int good =
        on_question(context, (unsigned)came, frame_of(talk), &answer) && !answer.failed;
    add(transcript, answers, answer.bytes, answer.size);
    const int sent =
        good && sartor_channel_send(&talk->channel, answers, answer.bytes, answer.size);
    sartor_forget(&answer);
    if (!sent)
      return fail(talk, SARTOR_TALK_LOST, "asks what makes no sense, or has gone");
  }
  return fail(talk, SARTOR_TALK_LOST, "speaks another language");
}

/* Over TCP, the server identifies the device by a signature. */
static enum sartor_talk_outcome prove(struct sartor_talk *talk) {
  static const char about[] = "Sartor's device, 2: ";
  unsigned char text[sizeof about - 1 + SARTOR_DEVICE_CHANNEL_BINDING];
  unsigned char proof[32 + SARTOR_DEVICE_SIGNATURE];
  if (strncmp(talk->server, "tcp:", 4) != 0)
    return SARTOR_TALK_ANSWERED;
  if (!talk->has_key)
    return fail(talk, SARTOR_TALK_LOST, "wants to know who asks, and the options have no key");
  memcpy(text, about, sizeof about - 1);
  memcpy(text + sizeof about - 1, talk->channel.binding, SARTOR_DEVICE_CHANNEL_BINDING);
  crypto_sign_ed25519_sk_to_pk(proof, talk->key);
  crypto_sign_ed25519_detached(proof + 32, NULL, text, sizeof text, talk->key);
  return sartor_channel_send(&talk->channel, SARTOR_FRAME_PROOF, proof, sizeof proof)
             ? SARTOR_TALK_ANSWERED
             : fail(talk, SARTOR_TALK_LOST, "has gone");
}

static enum sartor_talk_outcome open_channel(struct sartor_talk *talk) {
  switch (sartor_channel_open(&talk->channel, talk->server_keys, talk->server_key_count)) {
  case SARTOR_CHANNEL_OPEN:
    return prove(talk);
  case SARTOR_CHANNEL_FORGED:
    return fail(talk, SARTOR_TALK_FORGED, "has not the key that was given");
  default:
    return fail(talk, SARTOR_TALK_LOST, "is no server for devices, or has gone");
  }
}

static enum sartor_talk_outcome greet(struct sartor_talk *talk) {
  struct sartor_writer hello = {.system = talk->channel.frame.system};
  memset(talk->transcript, 0, sizeof talk->transcript);
  sartor_put_number(&hello, SARTOR_DEVICE_PROTOCOL, 4);
  sartor_put_string(&hello, talk->module->target);
  if (hello.failed)
    return fail(talk, SARTOR_TALK_LOST, "cannot be greeted: there is no memory");
  enum sartor_talk_outcome outcome = ask(talk, talk->transcript, SARTOR_FRAME_HELLO, hello.bytes,
                                         hello.size, SARTOR_FRAME_WELCOME, NULL, NULL);
  sartor_forget(&hello);
  if (outcome != SARTOR_TALK_ANSWERED)
    return outcome;
  const uint64_t begin = sartor_now();
  outcome = ask(talk, talk->transcript, SARTOR_FRAME_USE_MODULE, talk->module->hash,
                strlen(talk->module->hash), SARTOR_FRAME_DONE, NULL, NULL);
  const uint64_t took = sartor_now() - begin;
  if (talk->turn_ns == 0 || took < talk->turn_ns)
    talk->turn_ns = took;
  return outcome;
}

enum sartor_talk_outcome sartor_talk_begin(struct sartor_talk *talk, uint64_t deadline) {
  const char *why;
  talk->channel.link.deadline = deadline;
  if (sartor_link_is_open(&talk->channel.link))
    return SARTOR_TALK_ANSWERED;
  if (!sartor_link_open(&talk->channel.link, talk->server, &why))
    return fail(talk, SARTOR_TALK_LOST, why);
  enum sartor_talk_outcome outcome = open_channel(talk);
  if (outcome == SARTOR_TALK_ANSWERED)
    outcome = greet(talk);
  if (outcome == SARTOR_TALK_ANSWERED)
    return outcome;
  sartor_link_close(&talk->channel.link);
  return outcome == SARTOR_TALK_FORGED ? outcome : SARTOR_TALK_LOST;
}

enum sartor_talk_outcome sartor_talk_ask(struct sartor_talk *talk, uint64_t deadline,
                                         const struct sartor_writer *question,
                                         sartor_on_question on_question, void *context,
                                         struct sartor_reader *answer) {
  unsigned char transcript[SARTOR_DEVICE_HASH];
  memcpy(transcript, talk->transcript, sizeof transcript);
  talk->channel.link.deadline = deadline;
  const enum sartor_talk_outcome outcome =
      ask(talk, transcript, SARTOR_FRAME_CUSTOMIZE, question->bytes, question->size,
          SARTOR_FRAME_CUSTOMIZED, on_question, context);
  *answer = frame_of(talk);
  return outcome;
}
