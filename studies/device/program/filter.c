/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "filter.h"

#include <stddef.h>

#include <sartor/points.h>

enum { /* Parts of an instruction's code: its class and its operands. */
       load = 0,
       load_index = 1,
       store = 2,
       store_index = 3,
       arithmetic = 4,
       jump = 5,
       give = 6,
       transfer = 7,

       of_index = 0x08, /* The operand is the index register rather than k. */
       word = 0x00,
       half = 0x08,
       byte = 0x10,

       immediate = 0x00,
       absolute = 0x20,
       indirect = 0x40,
       scratch = 0x60,
       header_length = 0xa0,

       accumulator = 0x10
};

enum { scratch_words = 16 };

/* Reads bytes of the packet; returns whether they are inside the packet. */
static inline int fetch(const uint8_t *packet, uint32_t length, uint32_t at, unsigned code,
                        uint32_t *value) {
  const uint32_t size = (code & 0x18) == word ? 4 : (code & 0x18) == half ? 2 : 1;
  if (at > length || length - at < size)
    return 0;
  const uint8_t *bytes = packet + at;
  *value = size == 4   ? (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 |
                             (uint32_t)bytes[2] << 8 | bytes[3]
           : size == 2 ? (uint32_t)bytes[0] << 8 | bytes[1]
                       : bytes[0];
  return 1;
}

static inline uint32_t compute(unsigned operation, uint32_t a, uint32_t b) {
  switch (operation) {
  case 0x00:
    return a + b;
  case 0x10:
    return a - b;
  case 0x20:
    return a * b;
  case 0x30:
    return b == 0 ? 0 : a / b;
  case 0x40:
    return a | b;
  case 0x50:
    return a & b;
  case 0x60:
    return b > 31 ? 0 : a << b;
  case 0x70:
    return b > 31 ? 0 : a >> b;
  case 0x80:
    return 0 - a;
  case 0x90:
    return b == 0 ? 0 : a % b;
  default:
    return a ^ b;
  }
}

static inline int holds(unsigned condition, uint32_t a, uint32_t b) {
  switch (condition) {
  case 0x10:
    return a == b;
  case 0x20:
    return a > b;
  case 0x30:
    return a >= b;
  default:
    return (a & b) != 0;
  }
}

SARTOR_HANDLER uint32_t run_filter(const struct instruction *program, const uint8_t *packet,
                                   uint32_t length) {
  uint32_t a = 0;
  uint32_t x = 0;
  uint32_t kept[scratch_words] = {0};
  for (const struct instruction *next = program;; ++next) {
    const unsigned code = next->code;
    const uint32_t k = next->k;
    switch (code & 7) {
    case load:
      switch (code & 0xe0) {
      case immediate:
        a = k;
        break;
      case absolute:
        if (!fetch(packet, length, k, code, &a))
          return 0;
        break;
      case indirect:
        if (x + k < x || !fetch(packet, length, x + k, code, &a))
          return 0;
        break;
      case scratch:
        a = kept[k % scratch_words];
        break;
      default:
        a = length;
      }
      break;
    case load_index:
      switch (code & 0xe0) {
      case immediate:
        x = k;
        break;
      case scratch:
        x = kept[k % scratch_words];
        break;
      case header_length:
        if (!fetch(packet, length, k, byte, &x))
          return 0;
        x = (x & 15) * 4;
        break;
      default:
        x = length;
      }
      break;
    case store:
      kept[k % scratch_words] = a;
      break;
    case store_index:
      kept[k % scratch_words] = x;
      break;
    case arithmetic:
      a = compute(code & 0xf0, a, (code & of_index) != 0 ? x : k);
      break;
    case jump:
      if ((code & 0xf0) == 0)
        next += k;
      else
        next +=
            holds(code & 0xf0, a, (code & of_index) != 0 ? x : k) ? next->if_true : next->if_false;
      break;
    case give:
      return (code & 0x18) == accumulator ? a : k;
    default: /* transfer */
      if ((code & 0xf8) == 0)
        x = a;
      else
        a = x;
    }
  }
}
