/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Constants of the protocol between a device and a server, in C: see remote/protocol/message.h
 * and remote/protocol/device_message.h. A frame is four bytes, the little-endian length of the
 * rest; a kind; a body. All frames except the first of each side are encrypted (channel.h). */
#ifndef SARTOR_CORE_COMPILER_DEVICE_PROTOCOL_H
#define SARTOR_CORE_COMPILER_DEVICE_PROTOCOL_H

enum {
  SARTOR_DEVICE_PROTOCOL = 3,
  SARTOR_DEVICE_PAGE = 1024,        /* Maximum number of bytes per request of the server. */
  SARTOR_DEVICE_MOST_RANGES = 1024, /* Of invariant memory in a request. Invariants have numbers
                                       below it. */
  SARTOR_DEVICE_HASH = 32,
  SARTOR_DEVICE_SIGNATURE = 64,
  SARTOR_DEVICE_CHANNEL_BINDING = 32
};

enum sartor_device_frame {
  SARTOR_FRAME_USE_MODULE = 4,
  SARTOR_FRAME_CALLED = 10,
  SARTOR_FRAME_WELCOME = 11,
  SARTOR_FRAME_DONE = 13,
  SARTOR_FRAME_FAILED = 17,
  SARTOR_FRAME_CALL = 18,
  SARTOR_FRAME_HELLO = 19,
  SARTOR_FRAME_CUSTOMIZE = 20,
  SARTOR_FRAME_CUSTOMIZED = 21,
  SARTOR_FRAME_PAGE = 22,
  SARTOR_FRAME_PAGED = 23,
  SARTOR_FRAME_OPEN = 24,
  SARTOR_FRAME_PROOF = 25,
  SARTOR_FRAME_OPENED = 26
};

#endif
