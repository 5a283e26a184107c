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
/// 1, and the same frames are filled anew and used again, so that nothing but the router costs.
/// Belongs to one thread. One in a process.
class Lab {
public:
  /// Frames in one filling; a multiple of what the router reads at once.
  static constexpr std::size_t frames_at_once = 256;

  /// Gateways must be in 10.2.0.0/16, and are known from the beginning.
  Lab(RouteBurst route, const std::vector<RouteLine> &routes);
  ~Lab();
  Lab(const Lab &) = delete;
  Lab &operator=(const Lab &) = delete;

  /// Gives the router frames_at_once packets of 64 bytes to these destinations (host order).
  void fill(std::span<const std::uint32_t> destinations);
  /// Has the router do its work on them.
  void route();
  /// Takes back what has come out, and returns how many that were.
  std::size_t drain();

  [[nodiscard]] Router &router() { return router_; }

private:
  void take_buffers();

  dpdk::Environment environment_;
  std::array<dpdk::RingPort, 2> ports_;
  Router router_;
  Loop loop_;
  std::vector<rte_mbuf *> buffers_; ///< Those that are not on their way.
  std::vector<std::uint8_t> packet_;
};

} // namespace router

#endif
