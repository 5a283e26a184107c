// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ROUTER_WIRE_H
#define ROUTER_WIRE_H

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

/// \file The layout of frames in memory. Functions and constants only: frames stay bytes.
namespace router {

static_assert(std::endian::native == std::endian::little);

using Mac = std::array<std::uint8_t, 6>;

inline constexpr Mac broadcast{0xff, 0xff, 0xff, 0xff, 0xff, 0xff};

/// Loads a number in native byte order from any alignment.
template <class T> T load(const std::uint8_t *bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}
template <class T> void store(std::uint8_t *bytes, T value) {
  std::memcpy(bytes, &value, sizeof value);
}

/// Loads a number in network order.
inline std::uint16_t load16(const std::uint8_t *bytes) {
  return std::byteswap(load<std::uint16_t>(bytes));
}
inline std::uint32_t load32(const std::uint8_t *bytes) {
  return std::byteswap(load<std::uint32_t>(bytes));
}
inline void store16(std::uint8_t *bytes, std::uint16_t value) {
  store(bytes, std::byteswap(value));
}
inline void store32(std::uint8_t *bytes, std::uint32_t value) {
  store(bytes, std::byteswap(value));
}

/// Offsets into a frame: Ethernet without tags, then IPv4 (RFC 791) or ARP (RFC 826).
namespace at {
inline constexpr std::size_t ether_destination = 0;
inline constexpr std::size_t ether_source = 6;
inline constexpr std::size_t ether_type = 12;
inline constexpr std::size_t payload = 14;

inline constexpr std::size_t version_and_length = payload;
inline constexpr std::size_t total_length = payload + 2;
inline constexpr std::size_t ttl = payload + 8;
inline constexpr std::size_t protocol = payload + 9;
inline constexpr std::size_t checksum = payload + 10;
inline constexpr std::size_t source = payload + 12;
inline constexpr std::size_t destination = payload + 16;
inline constexpr std::size_t options = payload + 20;

inline constexpr std::size_t arp_operation = payload + 6;
inline constexpr std::size_t arp_sender_mac = payload + 8;
inline constexpr std::size_t arp_sender = payload + 14;
inline constexpr std::size_t arp_target_mac = payload + 18;
inline constexpr std::size_t arp_target = payload + 24;
} // namespace at

inline constexpr std::size_t ipv4_header_size = 20; ///< Without options.
inline constexpr std::size_t arp_frame_size = at::payload + 28;
inline constexpr std::uint16_t type_ipv4 = 0x0800;
inline constexpr std::uint16_t type_arp = 0x0806;

} // namespace router

#endif
