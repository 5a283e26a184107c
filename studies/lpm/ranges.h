// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LPM_RANGES_H
#define LPM_RANGES_H

#include <cstdint>
#include <vector>

#include "routes.h"

namespace lpm {

/// The addresses from `start` up to the next range's start go to `hop`.
template <class Address> struct Range {
  Address start = 0;
  std::uint32_t hop = kNoRoute;

  bool operator==(const Range &) const = default;
};

/// The routes as disjoint ranges in ascending order, the first one from address 0 on, neighbours
/// with different next hops: at most twice the number of routes plus one. Addresses outside of all
/// routes have kNoRoute. Longest-prefix match becomes the question of which range contains the
/// address. (The binary search over range ends of Lampson, Srinivasan and Varghese, "IP lookups
/// using multiway and multicolumn search", INFOCOM 1998, section 3.)
template <class Address> std::vector<Range<Address>> ranges(const RouteSet<Address> &set);

} // namespace lpm

#endif
