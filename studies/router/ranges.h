// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ROUTER_RANGES_H
#define ROUTER_RANGES_H

#include <cstdint>
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

/// Writes the code of the custom point `search` from a routing table as it is now: a binary search
/// over constants, without a branch, as deep as the number of ranges demands. The code is good as long
/// as `promise` holds. `tables` must not change while this runs.
void build_search(sartor::Builder &builder, const Tables &tables, const sartor::Invariant &promise);

} // namespace router

#endif
