// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_STUDY_NF_FRAMES_H
#define SARTOR_STUDY_NF_FRAMES_H

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace nf {

using Bytes = std::vector<std::uint8_t>;
using Mac = std::array<std::uint8_t, 6>;

/// The contents of a test packet. Numbers in host order.
struct Frame {
  std::uint32_t source = 0;
  std::uint32_t destination = 0;
  std::uint8_t protocol = 17; ///< TCP, UDP and ICMP get a header.
  std::uint16_t source_port = 0;
  std::uint16_t destination_port = 0;
  std::uint8_t tcp_flags = 0x10; ///< The flags byte of the header; the default is ACK.
  std::uint8_t icmp_type = 8;
  std::uint8_t icmp_code = 0;
  std::uint32_t icmp_rest = 0; ///< In an echo: identifier and sequence number.
  std::uint8_t ttl = 64;
  std::uint16_t fragment = 0; ///< IPv4 flags and fragment offset.
  Bytes options = {};         ///< IPv4 options: a multiple of four bytes, 40 at most.
  Bytes payload = {};
  Mac to = {2, 0, 0, 0, 0, 1};
  Mac from = {2, 0, 0, 0, 0, 2};
  bool has_udp_checksum = true; ///< If false, the checksum is 0, which means none.
};

/// The frame's bytes with correct lengths and checksums; at least 60.
Bytes bytes_of(const Frame &frame);

/// Offset of the IPv4 packet.
inline constexpr std::size_t at_ip = 14;

/// The checksum of bytes, word by word as in the text of RFC 1071, to check checksum.h. In host
/// order.
std::uint16_t checksum_of(std::span<const std::uint8_t> bytes, std::uint32_t sum = 0);
/// Returns whether the checksums of a frame's IPv4 header and, for a complete packet, of its TCP,
/// UDP or ICMP are correct; UDP's may be missing.
bool has_right_checksums(std::span<const std::uint8_t> frame);

} // namespace nf

#endif
