// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ROUTER_BURST_H
#define ROUTER_BURST_H

#include <array>
#include <cstdint>

#include "outcome.h"

/// \file The hot part of the router and its data.
namespace router {

/// An entry of the linear routing table; numbers in host order.
struct Route {
  std::uint32_t prefix;
  std::uint32_t mask;
  std::uint32_t adjacency; ///< Index into Tables::adjacencies.
};

/// The next hop of packets, and the start of their frames.
struct Adjacency {
  std::array<std::uint8_t, 12> link; ///< Both MACs, destination first. For Outcome::forwarded.
  std::uint16_t port;
  Outcome outcome; ///< The fate of packets: forwarded, or the reason why not.
};

/// The adjacency for addresses that no route matches.
inline constexpr std::uint32_t no_adjacency = 0;
inline constexpr unsigned max_ports = 8;

/// All data that a burst reads. Belongs to the thread that routes.
struct Tables {
  const Route *routes = nullptr; ///< Longest prefix first: the first match is the longest.
  std::uint32_t route_count = 0;
  /// Incremented before any change of data that lookup() reads.
  std::uint32_t generation = 0;
  const Adjacency *adjacencies = nullptr;
  std::array<std::uint64_t, max_ports> own_macs{}; ///< See number_of().
};

/// A frame in a burst.
struct Frame {
  std::uint8_t *data;
  std::uint32_t size; ///< In bytes.
  std::uint16_t port; ///< The ingress port; after the burst, the egress port of a forwarded frame.
  Outcome outcome;    ///< Set by the burst.
};

/// The adjacency of an address (host order), by a linear search, as in the simplest router. A
/// variant may contain another search (the custom point `search`, see ranges.h).
std::uint32_t lookup(const Tables *tables, std::uint32_t address);

} // namespace router

/// Checks `count` frames, looks up their next hops, and prepares forwarded ones for sending. Leaves
/// frames that it does not handle (Outcome::arp, Outcome::connected) unchanged.
extern "C" void route_burst(const router::Tables *tables, router::Frame *frames,
                            std::uint32_t count);

#endif
