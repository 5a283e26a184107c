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

/// A router port seen from outside: the generator plays all hosts and gateways of its network.
struct Side {
  Link link;
  Network network;            ///< The prefix is the router's own address in the network.
  Mac router_mac = broadcast; ///< Unknown at first.
};

/// Counters of sent frames and of their results.
struct Account {
  std::array<std::uint64_t, outcome_count> sent{}; ///< Frames by the expected outcome.
  std::uint64_t right = 0; ///< Packets that came out correctly in every byte.
  std::uint64_t wrong = 0; ///< Packets that came out with errors, or by another port.
  std::uint64_t stray = 0; ///< Frames that no sent frame explains.
};

/// Sends packets through a router and checks the output: the next hop's MAC, TTL, checksum,
/// payload. Computes the expected outcome independently. All packets enter by side 0.
class Generator {
public:
  Generator(std::vector<Side> sides, std::vector<RouteLine> routes);

  /// Learns the router's MACs by ARP, and makes it learn those of all gateways, whose first packets
  /// it drops. False if it does not answer, or a packet does not arrive in time.
  bool resolve();

  /// Sends frames to all these destinations, `broken_share` of them with one of the flaws for which
  /// a router drops packets, and waits for the expected output. False if an expected packet does
  /// not arrive in time.
  bool send(std::span<const std::uint32_t> destinations, double broken_share, std::uint64_t seed);

  [[nodiscard]] const Account &account() const { return account_; }

private:
  /// An expected output frame.
  struct Expected {
    std::size_t side;
    std::vector<std::uint8_t> frame;
  };

  Packet packet_to(std::uint32_t destination);
  void send_packet(const Packet &packet);
  void send_broken(Packet packet, Outcome outcome);
  void send_arp(std::size_t side, const Arp &arp);
  /// Waits until all expected frames have arrived and the router's MACs are known.
  bool wait(std::chrono::milliseconds time);
  void receive(std::size_t side, std::span<const std::uint8_t> frame);
  void receive_arp(std::size_t side, const Arp &arp);
  void receive_packet(std::size_t side, std::span<const std::uint8_t> frame);
  [[nodiscard]] const RouteLine *best_route(std::uint32_t destination) const;

  std::vector<Side> sides_;
  std::vector<RouteLine> routes_;
  std::unordered_map<std::uint32_t, Expected> in_flight_; ///< By packet number.
  /// Packets that the router probably dropped while it resolved a MAC.
  std::unordered_map<std::uint32_t, Expected> unresolved_;
  std::uint32_t next_number_ = 0;
  Account account_;
};

} // namespace router

#endif
