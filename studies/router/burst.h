// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ROUTER_BURST_H
#define ROUTER_BURST_H

#include <array>
#include <cstdint>

#include "outcome.h"

/// \file
/// The hot part of the router, and what it reads.
namespace router {

/// An entry of the linear routing table; numbers in host order.
struct Route {
  std::uint32_t prefix;
  std::uint32_t mask;
  std::uint32_t adjacency; ///< Index into Tables::adjacencies.
};

/// Where packets go next, and what their frames begin with then.
struct Adjacency {
  std::array<std::uint8_t, 12> link; ///< Both MACs, destination first. For Outcome::forwarded.
  std::uint16_t port;
  Outcome outcome; ///< What becomes of packets: forwarded, or why not.
};

/// The adjacency of everything that no route matches.
inline constexpr std::uint32_t no_adjacency = 0;
inline constexpr unsigned max_ports = 8;

/// All that a burst reads. Belongs to the thread that routes.
struct Tables {
  const Route *routes = nullptr; ///< Longest prefix first: the first match is the longest.
  std::uint32_t route_count = 0;
  /// Incremented before anything changes that lookup() reads.
  std::uint32_t generation = 0;
  const Adjacency *adjacencies = nullptr;
  std::array<std::uint64_t, max_ports> own_macs{}; ///< See number_of().
};

/// A frame on its way through a burst.
struct Frame {
  std::uint8_t *data;
  std::uint32_t size; ///< Bytes.
  std::uint16_t port; ///< The port it came by; after the burst, of a forwarded one, to leave by.
  Outcome outcome;    ///< Set by the burst.
};

/// The adjacency of an address (host order): a linear search, as the simplest of routers does. In a
/// variant it may be made of another search (the custom point `search`, see ranges.h).
std::uint32_t lookup(const Tables *tables, std::uint32_t address);

} // namespace router

/// Checks `count` frames, looks up their next hops, and makes those that are forwarded ready to
/// leave. Those that it does not know how to handle (Outcome::arp, Outcome::connected) are left as
/// they are.
extern "C" void route_burst(const router::Tables *tables, router::Frame *frames,
                            std::uint32_t count);

#endif
