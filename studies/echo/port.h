/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef ECHO_PORT_H
#define ECHO_PORT_H

#include <stdint.h>

/** An Ethernet frame. */
struct EchoFrame {
  const uint8_t *bytes;
  uint32_t size;
};

/** Where frames come from and go to. Called from echo_poll() alone. */
struct EchoPort {
  /** Up to `most` frames; they stay as they are until the next call. */
  uint32_t (*receive)(void *user, struct EchoFrame *frames, uint32_t most);
  /** Copies a frame, which may be lost. */
  void (*send)(void *user, const uint8_t *frame, uint32_t size);
  /** What was given to send() leaves now. */
  void (*flush)(void *user);
  void *user;
};

#endif
