// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>

/// A place to try things in, which goes with the process: a network namespace with two interfaces
/// that lead to each other, and what sends from one to the other.
class Network {
public:
  Network();

  /// Where the packets arrive.
  [[nodiscard]] std::string interface() const { return "in"; }
  /// Sends UDP packets from an address to a port, and says how many of them have arrived.
  int send(const std::string &from, std::uint16_t port, int packets, int bytes = 16);
};
