// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_STUDY_XDP_PACKETS_H
#define SARTOR_STUDY_XDP_PACKETS_H

#include <cstdint>
#include <random>
#include <string>

namespace xdp {

/// Endpoints of a packet; addresses and ports in host byte order.
struct Ends {
  std::uint32_t source = 0;
  std::uint32_t destination = 0;
  std::uint16_t source_port = 0;
  std::uint16_t destination_port = 0;

  [[nodiscard]] Ends back() const { return {destination, source, destination_port, source_port}; }
};

/// Frames with an IPv4 packet, valid or with flaws.
std::string udp(const Ends &ends, std::size_t payload = 22);
std::string tcp(const Ends &ends, std::uint8_t flags, std::size_t payload = 10);
/// `number` of an echo; zero for other types.
std::string icmp(const Ends &ends, std::uint8_t type, std::uint16_t number);
/// An error about the packet in a frame, sent to its source.
std::string icmp_error(std::uint32_t source, std::uint8_t type, const std::string &about);
/// An IPv6 frame with `extensions` hop-by-hop headers before UDP.
std::string ipv6(std::size_t extensions);
std::string arp();

/// The frame with `count` VLAN tags added.
std::string tagged(const std::string &frame, std::size_t count = 1);
/// The frame with four bytes of IPv4 options added.
std::string with_options(const std::string &frame);
/// The frame with another byte in the IPv4 header, and its checksum updated.
std::string with_byte(std::string frame, std::size_t at, std::uint8_t value);
/// `field`: the fragment's flags and offset.
std::string as_fragment(const std::string &frame, std::uint16_t field);
std::string with_ttl(const std::string &frame, std::uint8_t ttl);
std::string with_bad_checksum(std::string frame);

/// The frame with one of many flaws or peculiarities, or none. It keeps an Ethernet header, which
/// the kernel requires, and fits into a page.
std::string spoiled(const std::string &frame, std::mt19937_64 &random);

/// Sums the IPv4 header at an offset: 0 if the checksum is correct.
std::uint16_t checksum_over(const std::string &frame, std::size_t at, std::size_t bytes);

inline constexpr std::size_t kEthernetBytes = 14;

} // namespace xdp

#endif
