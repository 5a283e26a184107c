// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ROUTER_IPV4_H
#define ROUTER_IPV4_H

#include <cstddef>
#include <cstdint>

#include "checksum.h"
#include "outcome.h"
#include "wire.h"

/// \file The processing of IPv4 packets in a router (RFC 1812, section 5), except for the lookup.
namespace router {

/// A MAC as the low 48 bits of a number.
inline constexpr std::uint64_t mac_bits = (std::uint64_t{1} << 48) - 1;
inline std::uint64_t number_of(const Mac &mac) {
  std::uint64_t number = 0;
  std::memcpy(&number, mac.data(), mac.size());
  return number;
}

/// Outcome::forwarded if the options between `options` and `end` are valid.
inline Outcome check_options(const std::uint8_t *options, const std::uint8_t *end) {
  constexpr std::uint8_t end_of_list = 0;
  constexpr std::uint8_t no_operation = 1;
  constexpr std::uint8_t loose_source_route = 131;
  constexpr std::uint8_t strict_source_route = 137;
  while (options < end && *options != end_of_list) {
    if (*options == no_operation) {
      ++options;
      continue;
    }
    if (end - options < 2 || options[1] < 2 || options[1] > end - options)
      return Outcome::bad_options;
    if (*options == loose_source_route || *options == strict_source_route)
      return Outcome::source_route;
    options += options[1];
  }
  return Outcome::forwarded;
}

/// Returns whether packets may be routed from or to `address` (host order).
inline bool routable(std::uint32_t address) {
  const std::uint32_t network = address >> 24;
  return network != 0 && network != 127 && network < 224;
}

/// Checks a frame that came in by the port with the MAC `own` (see number_of()). Outcome::forwarded
/// if its packet needs a lookup of `destination` (host order), which is set then; Outcome::arp for
/// any ARP frame.
[[gnu::always_inline]] inline Outcome parse(const std::uint8_t *frame, std::size_t size,
                                            std::uint64_t own, std::uint32_t &destination) {
  if (size < at::payload)
    return Outcome::short_frame;
  const std::uint16_t type = load16(frame + at::ether_type);
  if (type == type_arp)
    return Outcome::arp;
  if ((load<std::uint64_t>(frame) & mac_bits) != own)
    return Outcome::other_host;
  if (type != type_ipv4)
    return Outcome::unknown_protocol;
  if (size < at::options)
    return Outcome::truncated;
  const std::uint8_t first = frame[at::version_and_length];
  if (first >> 4 != 4)
    return Outcome::bad_version;
  const std::size_t header = std::size_t{first & 0xfU} * 4;
  if (header < ipv4_header_size)
    return Outcome::bad_header_length;
  if (size < at::payload + header)
    return Outcome::truncated;
  const std::uint16_t sum = header == ipv4_header_size
                                ? sum_of(frame + at::payload, ipv4_header_size)
                                : sum_of(frame + at::payload, header);
  if (sum != 0xffff)
    return Outcome::bad_header_checksum;
  const std::size_t total = load16(frame + at::total_length);
  if (total < header || total > size - at::payload)
    return Outcome::bad_total_length;
  if (header != ipv4_header_size) {
    const Outcome outcome = check_options(frame + at::options, frame + at::payload + header);
    if (outcome != Outcome::forwarded)
      return outcome;
  }
  destination = load32(frame + at::destination);
  if (!routable(load32(frame + at::source)) || !routable(destination))
    return Outcome::bad_address;
  return Outcome::forwarded;
}

/// Prepares a checked frame for sending: TTL, checksum, and the two MACs of `link`, destination
/// first. For Outcome::ttl_expired the frame is unchanged.
inline Outcome pass_on(std::uint8_t *frame, const std::array<std::uint8_t, 12> &link) {
  if (frame[at::ttl] <= 1)
    return Outcome::ttl_expired;
  const auto old_word = load<std::uint16_t>(frame + at::ttl);
  const auto new_word = static_cast<std::uint16_t>(old_word - 1); // the TTL is the low byte
  store(frame + at::ttl, new_word);
  store(frame + at::checksum,
        updated_checksum(load<std::uint16_t>(frame + at::checksum), old_word, new_word));
  std::memcpy(frame, link.data(), link.size());
  return Outcome::forwarded;
}

} // namespace router

#endif
