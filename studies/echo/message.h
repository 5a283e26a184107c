/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * \file
 * Requests and answers: eight bytes (mark, bytes altogether, number; in network order), and
 * anything. An answer has the bytes of its request behind another mark.
 */
#ifndef ECHO_MESSAGE_H
#define ECHO_MESSAGE_H

#include <stdint.h>

enum {
  ECHO_REQUEST_MARK = 0x5ec0,
  ECHO_ANSWER_MARK = 0x5ec1,
  ECHO_HEADER = 8,
  ECHO_LONGEST = 256,
  ECHO_USUAL = 64
};

static inline uint32_t echo_mark(const uint8_t *message) {
  return (uint32_t)message[0] << 8U | message[1];
}
static inline uint32_t echo_length(const uint8_t *message) {
  return (uint32_t)message[2] << 8U | message[3];
}
static inline void echo_set_mark(uint8_t *message, uint32_t mark) {
  message[0] = (uint8_t)(mark >> 8U);
  message[1] = (uint8_t)mark;
}

/** Writes the header of a request. */
static inline void echo_begin(uint8_t *message, uint32_t length, uint32_t number) {
  echo_set_mark(message, ECHO_REQUEST_MARK);
  message[2] = (uint8_t)(length >> 8U);
  message[3] = (uint8_t)length;
  for (unsigned i = 0; i < 4; ++i)
    message[4 + i] = (uint8_t)(number >> (24 - 8 * i));
}

#endif
