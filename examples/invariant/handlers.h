// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

/// The verdict on packets whose address is in a network.
struct Rule {
  std::uint32_t net;
  std::uint32_t mask;
  std::uint32_t verdict;
};

struct Connection {
  std::uint64_t packets; ///< Counted by filter().
  const Rule *rules;
  std::uint32_t rule_count;
};

/// Returns the verdict of the first rule that `address` matches, or 0.
std::uint32_t filter(Connection *connection, std::uint32_t address);
