// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <cstdint>

struct Route {
  std::uint32_t net;
  std::uint32_t mask;
  std::uint32_t port;
};

/// The first match wins. Writers increment `version` before and after each change.
struct Table {
  std::uint32_t count;
  Route routes[64];
  std::atomic<std::uint64_t> version;
};

/// Returns 1000 plus the port for packets to `destination`.
std::uint32_t forward(const Table *table, std::uint32_t destination);
