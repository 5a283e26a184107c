// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ROUTER_DPDK_H
#define ROUTER_DPDK_H

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "wire.h"

struct rte_mempool;

namespace router {

/// DPDK refuses.
struct DpdkError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// DPDK's environment, once in a process: no huge pages, no PCI devices, nothing that another
/// process could meet. Threads stay on the processors they are on.
class Environment {
public:
  /// `devices` as in EAL's --vdev. Throws DpdkError.
  explicit Environment(const std::vector<std::string> &devices = {});
  ~Environment();
  Environment(const Environment &) = delete;
  Environment &operator=(const Environment &) = delete;

  /// Where the frames of all ports lie.
  [[nodiscard]] rte_mempool *pool() const { return pool_; }

  /// Makes a port ready: one queue in each direction, every frame taken. Throws DpdkError.
  void start(std::uint16_t port);

private:
  rte_mempool *pool_ = nullptr;
  std::vector<std::uint16_t> started_;
};

/// Of a port of DPDK's. Throws DpdkError.
Mac mac_of(std::uint16_t port);

} // namespace router

#endif
