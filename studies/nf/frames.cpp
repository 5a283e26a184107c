// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frames.h"

#include <algorithm>

namespace nf {

namespace {

constexpr std::size_t least_frame = 60;
constexpr std::size_t ip_header = 20;
constexpr std::uint8_t icmp = 1;
constexpr std::uint8_t tcp = 6;
constexpr std::uint8_t udp = 17;
constexpr std::uint16_t offset_or_more = 0x3fff;

void put16(Bytes &bytes, unsigned number) {
  bytes.push_back(static_cast<std::uint8_t>(number >> 8U));
  bytes.push_back(static_cast<std::uint8_t>(number));
}

void put32(Bytes &bytes, std::uint32_t number) {
  put16(bytes, number >> 16U);
  put16(bytes, number & 0xffffU);
}

void set16(Bytes &bytes, std::size_t at, unsigned number) {
  bytes[at] = static_cast<std::uint8_t>(number >> 8U);
  bytes[at + 1] = static_cast<std::uint8_t>(number);
}

unsigned get16(std::span<const std::uint8_t> bytes, std::size_t at) {
  return static_cast<unsigned>(bytes[at]) << 8U | bytes[at + 1];
}

std::uint32_t sum_of_words(std::uint32_t number) { return (number >> 16U) + (number & 0xffffU); }

/// Sum of the pseudo header (RFC 768, RFC 9293).
std::uint32_t pseudo_sum(std::uint32_t source, std::uint32_t destination, std::uint8_t protocol,
                         std::size_t bytes) {
  return sum_of_words(source) + sum_of_words(destination) + protocol +
         static_cast<std::uint32_t>(bytes);
}

Bytes transport_of(const Frame &frame) {
  Bytes bytes;
  std::size_t checksum_at = 0;
  if (frame.protocol == icmp) {
    bytes = {frame.icmp_type, frame.icmp_code};
    put16(bytes, 0);
    put32(bytes, frame.icmp_rest);
    checksum_at = 2;
  } else if (frame.protocol == tcp || frame.protocol == udp) {
    put16(bytes, frame.source_port);
    put16(bytes, frame.destination_port);
    if (frame.protocol == udp) {
      put16(bytes, static_cast<unsigned>(8 + frame.payload.size()));
      put16(bytes, 0);
      checksum_at = 6;
    } else {
      put32(bytes, 1);
      put32(bytes, 1);
      put16(bytes, 5U << 12U | frame.tcp_flags);
      put16(bytes, 0xffff);
      put32(bytes, 0);
      checksum_at = 16;
    }
  }
  bytes.insert(bytes.end(), frame.payload.begin(), frame.payload.end());
  if (checksum_at == 0 || (frame.protocol == udp && !frame.has_udp_checksum))
    return bytes;
  const std::uint32_t sum = frame.protocol == icmp ? 0
                                                   : pseudo_sum(frame.source, frame.destination,
                                                                frame.protocol, bytes.size());
  const std::uint16_t checksum = checksum_of(bytes, sum);
  set16(bytes, checksum_at, frame.protocol == udp && checksum == 0 ? 0xffff : checksum);
  return bytes;
}

} // namespace

std::uint16_t checksum_of(std::span<const std::uint8_t> bytes, std::uint32_t sum) {
  for (std::size_t i = 0; i < bytes.size(); i += 2) {
    sum += static_cast<std::uint32_t>(bytes[i]) << 8U;
    if (i + 1 < bytes.size())
      sum += bytes[i + 1];
    sum = sum_of_words(sum);
  }
  return static_cast<std::uint16_t>(~sum_of_words(sum));
}

Bytes bytes_of(const Frame &frame) {
  const Bytes transport = transport_of(frame);
  Bytes bytes(frame.to.begin(), frame.to.end());
  bytes.insert(bytes.end(), frame.from.begin(), frame.from.end());
  put16(bytes, 0x0800);
  const std::size_t header = ip_header + frame.options.size();
  bytes.push_back(static_cast<std::uint8_t>(0x40U | header / 4));
  bytes.push_back(0);
  put16(bytes, static_cast<unsigned>(header + transport.size()));
  put16(bytes, 0);
  put16(bytes, frame.fragment);
  bytes.push_back(frame.ttl);
  bytes.push_back(frame.protocol);
  put16(bytes, 0);
  put32(bytes, frame.source);
  put32(bytes, frame.destination);
  bytes.insert(bytes.end(), frame.options.begin(), frame.options.end());
  set16(bytes, at_ip + 10, checksum_of(std::span(bytes).subspan(at_ip)));
  bytes.insert(bytes.end(), transport.begin(), transport.end());
  bytes.resize(std::max(bytes.size(), least_frame));
  return bytes;
}

bool has_right_checksums(std::span<const std::uint8_t> frame) {
  const auto packet = frame.subspan(at_ip);
  const std::size_t header = (packet[0] & 0xfU) * std::size_t{4};
  if (checksum_of(packet.first(header)) != 0)
    return false;
  const std::uint8_t protocol = packet[9];
  const auto transport = packet.subspan(header, get16(packet, 2) - header);
  if ((get16(packet, 6) & offset_or_more) != 0 ||
      (protocol != icmp && protocol != tcp && protocol != udp))
    return true;
  if (protocol == udp && get16(transport, 6) == 0)
    return true;
  const std::uint32_t addresses =
      get16(packet, 12) + get16(packet, 14) + get16(packet, 16) + get16(packet, 18);
  const std::uint32_t sum =
      protocol == icmp ? 0 : addresses + protocol + static_cast<std::uint32_t>(transport.size());
  return checksum_of(transport, sum) == 0;
}

} // namespace nf
