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

/// What a packet says. Numbers in host order.
struct Frame {
  std::uint32_t source = 0;
  std::uint32_t destination = 0;
  std::uint8_t protocol = 17; ///< Of TCP, UDP and ICMP the header is written; else `payload` alone.
  std::uint16_t source_port = 0;
  std::uint16_t destination_port = 0;
  std::uint8_t tcp_flags = 0x10; ///< As they lie in the header; acknowledgement.
  std::uint8_t icmp_type = 8;
  std::uint8_t icmp_code = 0;
  std::uint32_t icmp_rest = 0; ///< Of the header; for an echo, identifier and sequence number.
  std::uint8_t ttl = 64;
  std::uint16_t fragment = 0; ///< Flags and offset.
  Bytes options = {};         ///< Of IPv4: a multiple of four bytes, 40 at most.
  Bytes payload = {};
  Mac to = {2, 0, 0, 0, 0, 1};
  Mac from = {2, 0, 0, 0, 0, 2};
  bool has_udp_checksum = true; ///< Else 0, which says that there is none.
};

/// Its bytes, with the right lengths and checksums; at least 60.
Bytes bytes_of(const Frame &frame);

/// Where the IPv4 packet begins.
inline constexpr std::size_t at_ip = 14;

/// The checksum of bytes as the text of RFC 1071 has it, word by word: it checks checksum.h. In
/// host order.
std::uint16_t checksum_of(std::span<const std::uint8_t> bytes, std::uint32_t sum = 0);
/// Whether the checksums of a frame's IPv4 header and, of a packet that is whole, of its TCP, UDP
/// or ICMP are right; one of UDP may be missing.
bool has_right_checksums(std::span<const std::uint8_t> frame);

} // namespace nf

#endif
