/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef ECHO_PORT_H
#define ECHO_PORT_H

#include <stdint.h>

/** An Ethernet frame. */
struct EchoFrame {
  const uint8_t *bytes;
  uint32_t size;
};

/** The source and destination of frames. Only echo_poll() calls its functions. */
struct EchoPort {
  /** Receives up to `most` frames; they remain valid until the next call. */
  uint32_t (*receive)(void *user, struct EchoFrame *frames, uint32_t most);
  /** Copies a frame. The frame may be lost. */
  void (*send)(void *user, const uint8_t *frame, uint32_t size);
  /** Transmits the frames that were passed to send(). */
  void (*flush)(void *user);
  void *user;
};

#endif
