// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <cstdint>

struct Route {
  std::uint32_t net;
  std::uint32_t mask;
  std::uint32_t port;
};

/// First match wins. Whoever changes it increments `version` before and after.
struct Table {
  std::uint32_t count;
  Route routes[64];
  std::atomic<std::uint64_t> version;
};

/// The port for a packet to `destination`, and 1000 for its queue.
std::uint32_t forward(const Table *table, std::uint32_t destination);
