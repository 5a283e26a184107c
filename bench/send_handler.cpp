// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "send_handler.h"

#include <algorithm>
#include <cstring>

#include <sartor/points.h>

namespace {

/// Returns the Internet checksum (RFC 1071).
std::uint16_t checksum(const unsigned char *bytes, std::size_t size) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i + 1 < size; i += 2)
    sum += static_cast<std::uint64_t>(bytes[i]) << 8 | bytes[i + 1];
  if (size % 2 != 0)
    sum += static_cast<std::uint64_t>(bytes[size - 1]) << 8;
  while (sum >> 16 != 0)
    sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<std::uint16_t>(~sum);
}

void put16(unsigned char *to, std::uint64_t value) {
  to[0] = static_cast<unsigned char>(value >> 8);
  to[1] = static_cast<unsigned char>(value);
}

void put32(unsigned char *to, std::uint64_t value) {
  put16(to, value >> 16);
  put16(to + 2, value);
}

} // namespace

extern "C" SARTOR_HANDLER std::size_t bench_send(const Connection *connection,
                                                 const unsigned char *message, std::size_t size,
                                                 unsigned char *packets) {
  const std::size_t most = sartor_generic("most", connection->most);
  const bool with_sum = sartor_enum("sum", connection->with_sum, false, true);
  const bool is_v6 = sartor_enum("version", connection->version, 4U, 6U) == 6;
  unsigned char *to = packets;
  for (std::size_t at = 0; at < size; at += most) {
    const std::size_t length = std::min(most, size - at);
    unsigned char *header = to;
    if (is_v6) {
      put32(to, 6U << 28);
      put16(to + 4, 8 + length);
      to[6] = 17;
      to[7] = 64;
      std::memcpy(to + 8, connection->from, 16);
      std::memcpy(to + 24, connection->to, 16);
      to += 40;
    } else {
      put16(to, 0x4500);
      put16(to + 2, 28 + length);
      put32(to + 4, at << 3);
      put16(to + 8, 64 << 8 | 17);
      put16(to + 10, 0);
      std::memcpy(to + 12, connection->from, 4);
      std::memcpy(to + 16, connection->to, 4);
      put16(to + 10, checksum(header, 20));
      to += 20;
    }
    unsigned char *datagram = to;
    put16(to, connection->from_port);
    put16(to + 2, connection->to_port);
    put16(to + 4, 8 + length);
    put16(to + 6, 0);
    std::memcpy(to + 8, message + at, length);
    if (with_sum)
      put16(to + 6, checksum(datagram, 8 + length));
    to += 8 + length;
  }
  return static_cast<std::size_t>(to - packets);
}
