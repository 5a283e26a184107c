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

/// DPDK refuses.
struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// DPDK's environment, once in a process: no huge pages, no PCI devices, nothing that another
/// process could meet. Threads stay on the processors they are on.
class Environment {
public:
  /// `devices` as in EAL's --vdev. Throws Error.
  explicit Environment(const std::vector<std::string> &devices = {});
  ~Environment();
  Environment(const Environment &) = delete;
  Environment &operator=(const Environment &) = delete;

  /// Where the frames of all ports lie.
  [[nodiscard]] rte_mempool *pool() const { return pool_; }

  /// Makes a port ready: one queue in each direction, every frame taken. Throws Error.
  void start(std::uint16_t port);
  /// The same with one of the devices that it was made with; its number. Throws Error.
  std::uint16_t start(const std::string &device);

private:
  rte_mempool *pool_ = nullptr;
  std::vector<std::uint16_t> started_;
};

/// Of a port of DPDK's. Throws Error.
std::array<std::uint8_t, 6> mac_of(std::uint16_t port);

} // namespace dpdk

#endif
