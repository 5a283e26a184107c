// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ROUTER_GENERATOR_H
#define ROUTER_GENERATOR_H

#include <array>
#include <chrono>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "arp.h"
#include "link.h"
#include "outcome.h"
#include "packet.h"
#include "routes.h"

namespace router {

/// One of the router's ports, from outside: we are all hosts and gateways of its network.
struct Side {
  Link link;
  Network network;            ///< The prefix is the router's own address in it.
  Mac router_mac = broadcast; ///< Not known at first.
};

/// What was sent and what came of it.
struct Account {
  std::array<std::uint64_t, outcome_count> sent{}; ///< Frames by what the router should do.
  std::uint64_t right = 0; ///< Packets that came out as they should, to the last byte.
  std::uint64_t wrong = 0; ///< That came out otherwise, or by another port.
  std::uint64_t stray = 0; ///< Frames that nothing sent explains.
};

/// Sends packets through a router and checks what comes out: the next hop's MAC, TTL, checksum,
/// payload. Knows on its own what the router should do with each. Everything goes in by side 0.
class Generator {
public:
  Generator(std::vector<Side> sides, std::vector<RouteLine> routes);

  /// Learns the router's MACs by ARP, and has it learn those of all gateways, whose first packets
  /// it drops. False if it does not answer, or a packet does not come through in time.
  bool resolve();

  /// Sends frames, some of them broken, to all these destinations, and waits for what is to come
  /// back. `broken_share` of them have one of the flaws that a router drops packets for. False if
  /// something that should does not come back in time.
  bool send(std::span<const std::uint32_t> destinations, double broken_share, std::uint64_t seed);

  [[nodiscard]] const Account &account() const { return account_; }

private:
  /// A frame that should come out.
  struct Expected {
    std::size_t side;
    std::vector<std::uint8_t> frame;
  };

  Packet packet_to(std::uint32_t destination);
  void send_packet(const Packet &packet);
  void send_broken(Packet packet, Outcome outcome);
  void send_arp(std::size_t side, const Arp &arp);
  /// Until everything has come back, and the router's MACs are known.
  bool wait(std::chrono::milliseconds time);
  void receive(std::size_t side, std::span<const std::uint8_t> frame);
  void receive_arp(std::size_t side, const Arp &arp);
  void receive_packet(std::size_t side, std::span<const std::uint8_t> frame);
  [[nodiscard]] const RouteLine *best_route(std::uint32_t destination) const;

  std::vector<Side> sides_;
  std::vector<RouteLine> routes_;
  std::unordered_map<std::uint32_t, Expected> in_flight_; ///< By number.
  /// Those that the router seems to have dropped while it asked for a MAC.
  std::unordered_map<std::uint32_t, Expected> unresolved_;
  std::uint32_t next_number_ = 0;
  Account account_;
};

} // namespace router

#endif
