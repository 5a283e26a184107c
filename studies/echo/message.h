/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** \file Requests and answers: a header of eight bytes (mark, total size in bytes, number; in
 * network order) and a payload. An answer consists of the bytes of its request behind another
 * mark. */
#ifndef ECHO_MESSAGE_H
#define ECHO_MESSAGE_H

#include <stdint.h>

enum {
  echo_request_mark = 0x5ec0,
  echo_answer_mark = 0x5ec1,
  echo_header = 8,
  echo_longest = 256,
  echo_usual = 64
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
  echo_set_mark(message, echo_request_mark);
  message[2] = (uint8_t)(length >> 8U);
  message[3] = (uint8_t)length;
  for (unsigned i = 0; i < 4; ++i)
    message[4 + i] = (uint8_t)(number >> (24 - 8 * i));
}

#endif
