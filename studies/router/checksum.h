// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ROUTER_CHECKSUM_H
#define ROUTER_CHECKSUM_H

#include <cstddef>
#include <cstdint>

#include "wire.h"

/// \file The Internet checksum (RFC 1071). Its sums do not depend on the byte order: all words here
/// are loaded as they are in memory.
namespace router {

/// The ones' complement sum of the 16-bit words of a 64-bit sum of words.
inline std::uint16_t fold(std::uint64_t sum) {
  sum = (sum & 0xffffffff) + (sum >> 32);
  sum = (sum & 0xffffffff) + (sum >> 32);
  sum = (sum & 0xffff) + (sum >> 16);
  sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<std::uint16_t>(sum);
}

/// The ones' complement sum of `size` bytes, a multiple of four. It is 0xffff for a header with a
/// correct checksum.
inline std::uint16_t sum_of(const std::uint8_t *bytes, std::size_t size) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < size; i += 4)
    sum += load<std::uint32_t>(bytes + i);
  return fold(sum);
}

/// The checksum after a word of the header has changed: RFC 1624, equation 3.
inline std::uint16_t updated_checksum(std::uint16_t checksum, std::uint16_t old_word,
                                      std::uint16_t new_word) {
  const auto inverse = [](std::uint16_t word) {
    return static_cast<std::uint64_t>(~word & 0xffff);
  };
  return static_cast<std::uint16_t>(~fold(inverse(checksum) + inverse(old_word) + new_word));
}

} // namespace router

#endif
