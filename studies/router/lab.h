// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ROUTER_LAB_H
#define ROUTER_LAB_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "environment.h"
#include "loop.h"
#include "ring_port.h"
#include "router.h"

struct rte_mbuf;

namespace router {

/// A router between two ports that are rings in memory: frames come in by port 0 and leave by port
/// 1. The same frames are refilled and reused, so that only the router is measured. Belongs to one
/// thread. One instance per process.
class Lab {
public:
  /// Frames in one filling; a multiple of the router's burst size.
  static constexpr std::size_t frames_at_once = 256;

  /// Gateways must be in 10.2.0.0/16; their MACs are known from the start.
  Lab(RouteBurst route, const std::vector<RouteLine> &routes);
  ~Lab();
  Lab(const Lab &) = delete;
  Lab &operator=(const Lab &) = delete;

  /// Passes frames_at_once packets of 64 bytes to these destinations (host order) to the router.
  void fill(std::span<const std::uint32_t> destinations);
  /// Lets the router process them.
  void route();
  /// Removes the output frames and returns their number.
  std::size_t drain();

  [[nodiscard]] Router &router() { return router_; }

private:
  void take_buffers();

  dpdk::Environment environment_;
  std::array<dpdk::RingPort, 2> ports_;
  Router router_;
  Loop loop_;
  std::vector<rte_mbuf *> buffers_; ///< Frames that are not in flight.
  std::vector<std::uint8_t> packet_;
};

} // namespace router

#endif
