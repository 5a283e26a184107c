// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ROUTER_RANGES_H
#define ROUTER_RANGES_H

#include <cstdint>
#include <mutex>
#include <vector>

#include <sartor/builder.hpp>
#include <sartor/invariant.hpp>

#include "burst.h"

namespace router {

/// Addresses from `first` to the next range's first have one adjacency.
struct Range {
  std::uint32_t first;
  std::uint32_t adjacency;
  bool operator==(const Range &) const = default;
};

/// What a routing table comes to: all addresses, in order, beginning with address 0.
std::vector<Range> ranges_of(const Tables &tables);

/// Generates the code of the custom point `search` from a routing table: a binary search over
/// constants, without a branch. Thread-safe.
class RangeSearch {
public:
  /// From now on for this table, which is promised not to change until retract(). The caller's
  /// thread may change it.
  void adopt(const Tables &tables);
  /// Call before the table changes. No variant with its search is in force when this returns.
  void retract();
  /// The generator. Refuses the variant while there is no table.
  void build(sartor::Builder &builder);

private:
  std::mutex mutex_;
  std::vector<Range> ranges_;
  sartor::Invariant promise_;
};

} // namespace router

#endif
