// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "read_frame.h"

#include <algorithm>

namespace nf {

namespace {

constexpr std::uint8_t kIcmp = 1;
constexpr std::uint8_t kTcp = 6;
constexpr std::uint8_t kUdp = 17;
constexpr std::size_t kFlags = 13;
constexpr std::size_t kIcmpHeader = 8;

std::uint16_t get16(std::span<const std::uint8_t> bytes, std::size_t at) {
  return static_cast<std::uint16_t>(bytes[at] << 8U | bytes[at + 1]);
}

std::uint32_t get32(std::span<const std::uint8_t> bytes, std::size_t at) {
  return static_cast<std::uint32_t>(get16(bytes, at)) << 16U | get16(bytes, at + 2);
}

} // namespace

Frame read_frame(std::span<const std::uint8_t> bytes) {
  Frame frame;
  std::ranges::copy(bytes.first(6), frame.to.begin());
  std::ranges::copy(bytes.subspan(6, 6), frame.from.begin());
  const auto ip = bytes.subspan(at_ip);
  frame.fragment = get16(ip, 6);
  frame.ttl = ip[8];
  frame.protocol = ip[9];
  frame.source = get32(ip, 12);
  frame.destination = get32(ip, 16);
  const std::size_t header = (ip[0] & 0xfU) * std::size_t{4};
  frame.options.assign(ip.begin() + 20, ip.begin() + static_cast<std::ptrdiff_t>(header));
  auto transport = ip.subspan(header, get16(ip, 2) - header);
  if (frame.protocol == kIcmp) {
    frame.icmp_type = transport[0];
    frame.icmp_code = transport[1];
    frame.icmp_rest = get32(transport, 4);
    transport = transport.subspan(kIcmpHeader);
  } else if (frame.protocol == kTcp || frame.protocol == kUdp) {
    frame.source_port = get16(transport, 0);
    frame.destination_port = get16(transport, 2);
    if (frame.protocol == kTcp)
      frame.tcp_flags = transport[kFlags];
    else
      frame.has_udp_checksum = get16(transport, 6) != 0;
    transport = transport.subspan(frame.protocol == kTcp ? 20 : 8);
  }
  frame.payload.assign(transport.begin(), transport.end());
  return frame;
}

Bytes quoted(const Frame &about, std::size_t most) {
  const Bytes bytes = bytes_of(about);
  const auto ip = std::span(bytes).subspan(at_ip);
  const auto kept = ip.first(std::min<std::size_t>(get16(ip, 2), most));
  return {kept.begin(), kept.end()};
}

Bytes unquoted(const Frame &error) {
  Bytes bytes(at_ip);
  bytes.insert(bytes.end(), error.payload.begin(), error.payload.end());
  return bytes;
}

} // namespace nf
