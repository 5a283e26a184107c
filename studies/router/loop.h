// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ROUTER_LOOP_H
#define ROUTER_LOOP_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "router.h"

struct rte_mbuf;

namespace router {

/// route_burst(), or a replacement for it.
using RouteBurst = std::function<void(const Tables *, Frame *, std::uint32_t)>;

/// Carries frames between DPDK's ports and a router. Belongs to the router's thread.
class Loop {
public:
  /// `ports` are the DPDK numbers of the router's started ports. The router must outlive this
  /// object.
  Loop(Router &router, RouteBurst route, std::vector<std::uint16_t> ports);

  /// Reads and routes a burst from each port. Returns the number of frames.
  std::size_t poll();

private:
  static constexpr std::uint16_t burst = 32;

  struct Output {
    std::array<rte_mbuf *, burst> frames;
    std::uint16_t count = 0;
  };

  void finish(Frame &frame, rte_mbuf *buffer);
  void queue(std::uint16_t port, rte_mbuf *buffer);
  void flush(std::uint16_t port);

  Router &router_;
  RouteBurst route_;
  std::vector<std::uint16_t> ports_;
  std::vector<Output> outputs_;
};

} // namespace router

#endif
