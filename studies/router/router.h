// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ROUTER_ROUTER_H
#define ROUTER_ROUTER_H

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "arp.h"
#include "burst.h"
#include "outcome.h"
#include "routes.h"
#include "wire.h"

namespace router {

/// Frames by outcome. Written by one thread, read by any.
class Counters {
public:
  void add(Outcome outcome, std::uint64_t frames = 1) {
    std::atomic<std::uint64_t> &count = counts_[static_cast<std::size_t>(outcome)];
    count.store(count.load(std::memory_order_relaxed) + frames, std::memory_order_relaxed);
  }
  /// May be used as an objective; valid as long as this object.
  [[nodiscard]] const std::atomic<std::uint64_t> &of(Outcome outcome) const {
    return counts_[static_cast<std::size_t>(outcome)];
  }

private:
  std::array<std::atomic<std::uint64_t>, outcome_count> counts_{};
};

/// A router port and the network it is in.
struct Port {
  Mac mac;
  std::uint32_t address; ///< In host order.
  unsigned length;       ///< Length of the network's prefix in bits.

  [[nodiscard]] bool reaches(std::uint32_t other) const {
    return ((address ^ other) & mask_of(length)) == 0;
  }
};

/// The router without its hot part, route_burst(), and without frame I/O: tables, address
/// resolution, counters. Belongs to one thread; other threads may read counters().
class Router {
public:
  using Time = std::chrono::steady_clock::time_point;

  /// Throws BadRoutes if there are no ports or more than max_ports.
  explicit Router(std::vector<Port> ports);
  Router(const Router &) = delete;
  Router &operator=(const Router &) = delete;

  /// Replaces all routes but those to connected networks. Throws BadRoutes, without any change, if
  /// a gateway is not in a connected network, or is this router itself.
  void set_routes(const std::vector<RouteLine> &routes);
  /// Calls `before` before any change of data that lookup() reads, and `after` afterwards.
  void on_change(std::function<void()> before, std::function<void()> after) {
    before_change_ = std::move(before);
    after_change_ = std::move(after);
  }

  /// For route_burst().
  [[nodiscard]] const Tables &tables() const { return tables_; }

  /// Completes the processing of a frame that route_burst() did not forward, and counts it. True if
  /// the frame is to be sent by `frame.port` now: it has become the answer to an ARP request, or
  /// the ARP request for the next hop for which it was dropped, or it goes to a host of a connected
  /// network (its outcome is `forwarded` then, and it is not counted yet). Its buffer must have at
  /// least arp_frame_size bytes.
  bool finish(Frame &frame, Time now);

  [[nodiscard]] Counters &counters() { return counters_; }
  [[nodiscard]] const Counters &counters() const { return counters_; }

private:
  /// A gateway or host whose MAC is known or requested.
  struct Neighbour {
    bool resolved = false;
    Mac mac{};
    Time asked{};
  };

  bool finish_arp(Frame &frame);
  bool finish_connected(Frame &frame, Time now);
  bool ask(Frame &frame, std::uint16_t port, std::uint32_t address, Time now);
  void learn(std::uint16_t port, std::uint32_t address, const Mac &mac);
  [[nodiscard]] std::array<std::uint8_t, 12> link_to(std::uint16_t port, const Mac &mac) const;
  static std::uint64_t key(std::uint16_t port, std::uint32_t address);

  std::vector<Port> ports_;
  std::vector<Route> routes_;
  std::vector<Adjacency> adjacencies_;
  std::vector<std::uint32_t> gateways_; ///< For each adjacency; zero if there is none.
  std::unordered_map<std::uint64_t, Neighbour> neighbours_;
  std::function<void()> before_change_ = [] {};
  std::function<void()> after_change_ = [] {};
  Tables tables_;
  Counters counters_;
};

} // namespace router

#endif
