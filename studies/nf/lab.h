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

/// Two ports that are rings in memory, within the process: frames are filled in and taken out
/// outside of the time that is measured, so that nothing but the function costs. Belongs to one
/// thread. One in a process.
class Lab {
public:
  /// Frames in one filling: more than the nearest cache holds.
  static constexpr std::size_t frames_at_once = 1024;

  Lab();
  ~Lab();
  Lab(const Lab &) = delete;
  Lab &operator=(const Lab &) = delete;

  /// What functions are given.
  [[nodiscard]] NfIo &io() { return ports_io_.io(); }
  /// Has packets come in by a port: frames_at_once at most, all that came before must have gone
  /// through.
  void fill(NfSide side, std::span<const Bytes *const> frames);
  /// Takes out what has come out, and returns how many that were.
  std::size_t drain();

  /// Has one packet of each flow come in by a side, so that all are known.
  void begin_flows(const Traffic &traffic, NfSide side, const Poll &poll);

private:
  dpdk::Environment environment_;
  std::array<dpdk::RingPort, nf_sides> ports_;
  PortIo ports_io_;
  std::vector<rte_mbuf *> buffers_;
};

} // namespace nf

#endif
