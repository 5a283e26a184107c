// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ROUTER_OUTCOME_H
#define ROUTER_OUTCOME_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace router {

/// The fate of a frame. All but the first three are reasons to drop it. Every frame that the router
/// reads is counted under exactly one of them.
enum class Outcome : std::uint8_t {
  forwarded,
  arp,       ///< Processed, and answered if it asks for one of the router's addresses.
  connected, ///< To a host of a connected network, whose own address must be resolved. A transient
             ///< state.

  short_frame,       ///< Shorter than an Ethernet header.
  other_host,        ///< Not addressed to the port's own MAC.
  unknown_protocol,  ///< Neither IPv4 nor ARP.
  truncated,         ///< Shorter than an IPv4 header with its options.
  bad_version,       ///< Not 4.
  bad_header_length, ///< Below 20 bytes.
  bad_header_checksum,
  bad_total_length, ///< Less than the header's length, or beyond the frame's end.
  bad_options,      ///< An option without its length, or beyond the header's end.
  source_route,     ///< An option for source routing (RFC 7126, 4.3 and 4.4).
  bad_address, ///< A source or destination that is not routed: 0/8, 127/8, multicast, broadcast.
  bad_arp,     ///< ARP for other address types than Ethernet and IPv4.
  no_route,
  local, ///< To the router itself, which offers no services.
  ttl_expired,
  unresolved,  ///< The next hop's MAC is not known yet and was requested.
  output_full, ///< The queue of the egress port is full.
};

/// Names in counters and tables.
inline constexpr std::array<std::string_view, 20> outcome_names{
    "forwarded",        "arp",         "connected",    "short_frame",       "other_host",
    "unknown_protocol", "truncated",   "bad_version",  "bad_header_length", "bad_header_checksum",
    "bad_total_length", "bad_options", "source_route", "bad_address",       "bad_arp",
    "no_route",         "local",       "ttl_expired",  "unresolved",        "output_full"};
inline constexpr std::size_t outcome_count = outcome_names.size();
static_assert(static_cast<std::size_t>(Outcome::output_full) + 1 == outcome_count);

inline std::string_view name_of(Outcome outcome) {
  return outcome_names[static_cast<std::size_t>(outcome)];
}

} // namespace router

#endif
