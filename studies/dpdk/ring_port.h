// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_STUDY_DPDK_RING_PORT_H
#define SARTOR_STUDY_DPDK_RING_PORT_H

#include <cstddef>
#include <cstdint>

#include "environment.h"

struct rte_ring;

namespace dpdk {

/// A started DPDK port that reads from one ring in memory and writes to another. The rings belong
/// to one thread and are never freed.
struct RingPort {
  /// `number` must be unique; each ring holds at least `frames` frames. Throws Error.
  RingPort(Environment &environment, std::uint16_t number, std::size_t frames);
  rte_ring *in;
  rte_ring *out;
  std::uint16_t id;
};

} // namespace dpdk

#endif
