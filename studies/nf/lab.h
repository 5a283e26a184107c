// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_STUDY_NF_LAB_H
#define SARTOR_STUDY_NF_LAB_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "environment.h"
#include "loop.h"
#include "port_io.h"
#include "ring_port.h"
#include "traffic.h"

struct rte_mbuf;

namespace nf {

/// Two ports that are rings in memory, within the process: frames are inserted and removed outside
/// of the measured time, so that only the function is measured. Belongs to one thread. One instance
/// per process.
class Lab {
public:
  /// Frames inserted at once: more than the first-level cache holds.
  static constexpr std::size_t frames_at_once = 1024;

  Lab();
  ~Lab();
  Lab(const Lab &) = delete;
  Lab &operator=(const Lab &) = delete;

  /// The interface for functions.
  [[nodiscard]] NfIo &io() { return ports_io_.io(); }
  /// Inserts packets at a port: frames_at_once at most; the previous ones must have been processed.
  void fill(NfSide side, std::span<const Bytes *const> frames);
  /// Removes all output packets and returns their number.
  std::size_t drain();

  /// Inserts one packet of each flow at a side, so that all flows are known.
  void begin_flows(const Traffic &traffic, NfSide side, const Poll &poll);

private:
  dpdk::Environment environment_;
  std::array<dpdk::RingPort, nf_sides> ports_;
  PortIo ports_io_;
  std::vector<rte_mbuf *> buffers_;
};

} // namespace nf

#endif
