// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ECHO_NIC_H
#define ECHO_NIC_H

#include <array>
#include <cstdint>

#include "echo.h"
#include "environment.h"

struct rte_mbuf;

namespace sartor::echo {

/// A DPDK port with the interface that the server expects.
class Nic {
public:
  /// Uses DPDK's port 0, which must be started. `environment` must outlive this object.
  explicit Nic(dpdk::Environment &environment) : environment_(environment) {}
  ~Nic();
  Nic(const Nic &) = delete;
  Nic &operator=(const Nic &) = delete;

  /// The port of this object, which must not be moved.
  [[nodiscard]] EchoPort port();

private:
  std::uint32_t receive(EchoFrame *frames, std::uint32_t most);
  void send(const std::uint8_t *frame, std::uint32_t size);
  void flush();

  dpdk::Environment &environment_;
  std::array<rte_mbuf *, echo_most_batch> received_;
  std::uint16_t received_count_ = 0;
  std::array<rte_mbuf *, echo_most_batch> to_send_;
  std::uint16_t to_send_count_ = 0;
};

} // namespace sartor::echo

#endif
