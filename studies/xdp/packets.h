// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_STUDY_XDP_PACKETS_H
#define SARTOR_STUDY_XDP_PACKETS_H

#include <cstdint>
#include <random>
#include <string>

namespace xdp {

/// Of a packet; addresses and ports in the machine's byte order.
struct Ends {
  std::uint32_t source = 0;
  std::uint32_t destination = 0;
  std::uint16_t source_port = 0;
  std::uint16_t destination_port = 0;

  [[nodiscard]] Ends back() const { return {destination, source, destination_port, source_port}; }
};

/// Frames with a packet of IPv4, and whatever is wrong with it where that is asked for.
std::string udp(const Ends &ends, std::size_t payload = 22);
std::string tcp(const Ends &ends, std::uint8_t flags, std::size_t payload = 10);
/// `number` of an echo, for other types zero.
std::string icmp(const Ends &ends, std::uint8_t type, std::uint16_t number);
/// About the packet in a frame, to its source.
std::string icmp_error(std::uint32_t source, std::uint8_t type, const std::string &about);
/// Of IPv6 with `extensions` hop-by-hop headers before UDP.
std::string ipv6(std::size_t extensions);
std::string arp();

/// The same with `count` VLAN tags.
std::string tagged(const std::string &frame, std::size_t count = 1);
/// With four bytes of IPv4 options.
std::string with_options(const std::string &frame);
/// Writes a byte of the IPv4 header, and its checksum anew.
std::string with_byte(std::string frame, std::size_t at, std::uint8_t value);
/// `field`: the fragment's flags and offset.
std::string as_fragment(const std::string &frame, std::uint16_t field);
std::string with_ttl(const std::string &frame, std::uint8_t ttl);
std::string with_bad_checksum(std::string frame);

/// With one of many flaws or peculiarities, or none. It keeps an Ethernet header, without which the
/// kernel takes no frame, and fits into a page.
std::string spoiled(const std::string &frame, std::mt19937_64 &random);

/// Of an IPv4 header at an offset: intact 0.
std::uint16_t checksum_over(const std::string &frame, std::size_t at, std::size_t bytes);

inline constexpr std::size_t kEthernetBytes = 14;

} // namespace xdp

#endif
