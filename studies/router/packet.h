// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ROUTER_PACKET_H
#define ROUTER_PACKET_H

#include <cstddef>
#include <cstdint>
#include <vector>

#include "wire.h"

namespace router {

/// A packet of the generator. Addresses in host order.
struct Packet {
  Mac to{};
  Mac from{};
  std::uint32_t source = 0;
  std::uint32_t destination = 0;
  std::uint8_t ttl = 64;
  std::vector<std::uint8_t> options = {}; ///< A multiple of four bytes, 40 at most.
  std::vector<std::uint8_t> payload = {};
};

/// The frame with correct lengths and checksum.
std::vector<std::uint8_t> frame_of(const Packet &packet);

/// Writes the correct checksum into a frame's header, which must be complete. Sums word by word as
/// in the text of RFC 1071, to check checksum.h.
void write_checksum(std::uint8_t *frame);

} // namespace router

#endif
