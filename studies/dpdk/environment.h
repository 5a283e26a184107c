// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_STUDY_DPDK_ENVIRONMENT_H
#define SARTOR_STUDY_DPDK_ENVIRONMENT_H

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

struct rte_mempool;

namespace dpdk {

/// An error that DPDK has reported.
struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// DPDK's environment, one per process: no huge pages, no PCI devices, no files shared with other
/// processes. Threads keep their processor affinity.
class Environment {
public:
  /// `devices` are in the syntax of EAL's --vdev. Throws Error.
  explicit Environment(const std::vector<std::string> &devices = {});
  ~Environment();
  Environment(const Environment &) = delete;
  Environment &operator=(const Environment &) = delete;

  /// The memory pool of the frames of all ports.
  [[nodiscard]] rte_mempool *pool() const { return pool_; }

  /// Starts a port with one queue in each direction, in promiscuous mode. Throws Error.
  void start(std::uint16_t port);
  /// Starts one of the devices passed to the constructor and returns its port number. Throws Error.
  std::uint16_t start(const std::string &device);

private:
  rte_mempool *pool_ = nullptr;
  std::vector<std::uint16_t> started_;
};

/// The hardware address of a DPDK port. Throws Error.
std::array<std::uint8_t, 6> mac_of(std::uint16_t port);

} // namespace dpdk

#endif
