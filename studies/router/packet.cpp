// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "packet.h"

#include <algorithm>

namespace router {

void write_checksum(std::uint8_t *frame) {
  const std::size_t header = std::size_t{frame[at::version_and_length] & 0xfU} * 4;
  store16(frame + at::checksum, 0);
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < header; i += 2) {
    sum += load16(frame + at::payload + i);
    sum = (sum & 0xffff) + (sum >> 16);
  }
  store16(frame + at::checksum, static_cast<std::uint16_t>(~sum));
}

std::vector<std::uint8_t> frame_of(const Packet &packet) {
  constexpr std::uint8_t udp = 17;
  const std::size_t header = ipv4_header_size + packet.options.size();
  std::vector<std::uint8_t> frame(at::payload + header + packet.payload.size());
  std::uint8_t *const bytes = frame.data();
  std::copy(packet.to.begin(), packet.to.end(), bytes + at::ether_destination);
  std::copy(packet.from.begin(), packet.from.end(), bytes + at::ether_source);
  store16(bytes + at::ether_type, type_ipv4);
  bytes[at::version_and_length] = static_cast<std::uint8_t>(0x40 | header / 4);
  store16(bytes + at::total_length, static_cast<std::uint16_t>(frame.size() - at::payload));
  bytes[at::ttl] = packet.ttl;
  bytes[at::protocol] = udp;
  store32(bytes + at::source, packet.source);
  store32(bytes + at::destination, packet.destination);
  std::copy(packet.options.begin(), packet.options.end(), bytes + at::options);
  std::copy(packet.payload.begin(), packet.payload.end(), bytes + at::payload + header);
  write_checksum(bytes);
  return frame;
}

} // namespace router
