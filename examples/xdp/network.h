// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>

/// A test network that ends with the process: two network namespaces, and a pair of interfaces that
/// connects them.
class Network {
public:
  Network();

  /// Name of the interface where packets arrive.
  [[nodiscard]] std::string interface() const { return "in"; }
  /// Sends UDP packets from an address to a port. Returns the number of packets that arrived.
  int send(const std::string &from, std::uint16_t port, int packets, int bytes = 16);
};
