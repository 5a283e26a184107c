// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_STUDY_DPDK_RING_PORT_H
#define SARTOR_STUDY_DPDK_RING_PORT_H

#include <cstddef>
#include <cstdint>

#include "environment.h"

struct rte_ring;

namespace dpdk {

/// Two rings in memory, and the port of DPDK's that reads the one and writes the other, started.
/// The rings belong to one thread and stay for ever.
struct RingPort {
  /// `number` tells it from others; the rings hold `frames` at least. Throws Error.
  RingPort(Environment &environment, std::uint16_t number, std::size_t frames);
  rte_ring *in;
  rte_ring *out;
  std::uint16_t id;
};

} // namespace dpdk

#endif
