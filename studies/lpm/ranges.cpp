// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ranges.h"

namespace lpm {

template <class Address> std::vector<Range<Address>> ranges(const RouteSet<Address> &set) {
  /// A route that contains the current address, and the routes around it below it on the stack.
  struct Open {
    Address last;
    std::uint32_t hop;
  };
  std::vector<Open> open = {{last_address<Address>, kNoRoute}};
  std::vector<Range<Address>> cut = {{0, kNoRoute}};

  // Records that addresses from `start` on go to `hop`, until the next record. For the same
  // address, the last record counts.
  const auto say = [&](Address start, std::uint32_t hop) {
    if (cut.back().start == start)
      cut.back().hop = hop;
    else
      cut.push_back({start, hop});
  };
  const auto close = [&] {
    const Address last = open.back().last;
    open.pop_back();
    if (last != last_address<Address>)
      say(last + 1, open.back().hop);
  };

  for (const Route<Address> &route : set.routes()) {
    while (open.back().last < route.prefix)
      close();
    open.push_back({route.prefix | ~mask<Address>(route.length), route.hop});
    say(route.prefix, route.hop);
  }
  while (open.size() > 1)
    close();

  std::vector<Range<Address>> merged;
  for (const Range<Address> &range : cut)
    if (merged.empty() || merged.back().hop != range.hop)
      merged.push_back(range);
  return merged;
}

template std::vector<Range<Address4>> ranges(const RouteSet<Address4> &);
template std::vector<Range<Address6>> ranges(const RouteSet<Address6> &);

} // namespace lpm
