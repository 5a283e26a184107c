// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ROUTER_RANGES_H
#define ROUTER_RANGES_H

#include <cstdint>
#include <mutex>
#include <vector>

#include <sartor/generator.hpp>
#include <sartor/invariant.hpp>

#include "burst.h"

namespace router {

/// Addresses from `first` to the next range's first have one adjacency.
struct Range {
  std::uint32_t first;
  std::uint32_t adjacency;
  bool operator==(const Range &) const = default;
};

/// The ranges of a routing table: all addresses, in order, beginning with address 0.
std::vector<Range> ranges_of(const Tables &tables);

/// Generates the code of the custom point `search` from a routing table: a branch-free binary
/// search over constants. Thread-safe.
class RangeSearch {
public:
  /// Uses this table, which must not change until retract(). The caller's thread may change it
  /// afterwards.
  void adopt(const Tables &tables);
  /// Must be called before the table changes. When it returns, no variant with its search is
  /// active.
  void retract();
  /// The point's code. Throws while there is no table.
  sartor::GeneratedCode generate();

private:
  std::mutex mutex_;
  std::vector<Range> ranges_;
  sartor::Invariant invariant_;
};

} // namespace router

#endif
