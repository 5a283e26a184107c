// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

/// What to do with packets whose address lies in a network.
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

/// The verdict of the first rule that the address matches, or 0.
std::uint32_t filter(Connection *connection, std::uint32_t address);
