// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_STUDY_NF_PORT_IO_H
#define SARTOR_STUDY_NF_PORT_IO_H

#include <array>
#include <cstdint>

#include "io.h"

struct rte_mbuf;

namespace nf {

/// Two started DPDK ports with the interface for functions. Belongs to the thread that polls. Of
/// frames in several segments, only the first segment is visible.
class PortIo {
public:
  /// DPDK's port numbers, by side.
  explicit PortIo(std::array<std::uint16_t, nf_sides> ports);
  PortIo(const PortIo &) = delete;
  PortIo &operator=(const PortIo &) = delete;
  ~PortIo() = default;

  /// The interface for functions; valid as long as this object.
  [[nodiscard]] NfIo &io() { return own_.io; }
  /// Number of packets that a port had no room for.
  [[nodiscard]] std::uint64_t unsent() const { return unsent_; }

private:
  struct Own { // standard layout: the handler's pointer is converted to its owner
    NfIo io{};
    PortIo *owner = nullptr;
  };
  /// Frames with the same output port.
  struct Way {
    std::array<rte_mbuf *, nf_most_packets> frames;
    std::uint16_t count = 0;
  };

  static PortIo &of(NfIo *io);
  std::uint32_t receive(NfSide side, NfPacket *packets, std::uint32_t most);
  void send(NfSide side, const NfPacket *packets, std::uint32_t count);
  void transmit(std::uint16_t port, Way &way);

  Own own_;
  std::array<std::uint16_t, nf_sides> ports_;
  std::uint64_t unsent_ = 0;
};

} // namespace nf

#endif
