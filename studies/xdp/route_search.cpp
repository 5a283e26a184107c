// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "route_search.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <set>

#include <arpa/inet.h>

namespace xdp {

namespace {

constexpr std::uint32_t kLast = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint32_t kNoHop = kLast;

/// Addresses from `first` on, in host byte order, have that hop.
struct Interval {
  std::uint32_t first;
  std::uint32_t hop;
};

std::uint32_t hop_of(std::uint32_t address, const std::vector<Route> &routes) {
  const auto found = std::ranges::find_if(
      routes, [&](const Route &route) { return (htonl(address) & route.mask) == route.prefix; });
  return found == routes.end() ? kNoHop : found->hop;
}

std::vector<Interval> intervals_of(const std::vector<Route> &routes) {
  std::set<std::uint32_t> firsts{0};
  for (const Route &route : routes) {
    const std::uint32_t last = ntohl(route.prefix | ~route.mask);
    firsts.insert(ntohl(route.prefix));
    if (last != kLast)
      firsts.insert(last + 1);
  }
  std::vector<Interval> intervals;
  for (const std::uint32_t first : firsts)
    if (const std::uint32_t hop = hop_of(first, routes);
        intervals.empty() || intervals.back().hop != hop)
      intervals.push_back({first, hop});
  return intervals;
}

} // namespace

void build_route_search(sartor::Builder &builder, const std::vector<Route> &routes) {
  using sartor::types::u64;
  const std::vector<Interval> intervals = intervals_of(routes);
  const std::size_t size = std::bit_ceil(intervals.size());
  std::vector<std::uint64_t> firsts;
  std::vector<std::uint32_t> hops;
  for (std::size_t i = 0; i < size; ++i) {
    firsts.push_back(i < intervals.size() ? intervals[i].first : kLast);
    hops.push_back(intervals[std::min(i, intervals.size() - 1)].hop);
  }
  // Packets have the bytes of an address in reverse order.
  const auto byte = [&](unsigned number) {
    const auto shifted = builder.shift_right_logical(builder.argument(0),
                                                     builder.constant(std::uint32_t{8} * number));
    return builder.zero_extend(builder.and_(shifted, builder.constant(std::uint32_t{0xff})), u64);
  };
  auto address = byte(0);
  for (unsigned i = 1; i < 4; ++i)
    address = builder.or_(builder.shift_left(address, builder.constant(std::uint64_t{8})), byte(i));
  const auto table = builder.table(firsts);
  auto position = builder.constant(std::uint64_t{0});
  for (std::uint64_t step = size / 2; step > 0; step /= 2) {
    const auto probe = builder.or_(position, builder.constant(step));
    const auto below = builder.subtract(address, builder.load(u64, table, probe));
    // All ones if the address is below, else zero.
    const auto mask =
        builder.hide(builder.shift_right_arithmetic(builder.hide(below), builder.constant(63UL)));
    const auto taken =
        builder.and_(builder.xor_(mask, builder.constant(~0UL)), builder.constant(step));
    position = builder.or_(position, taken);
  }
  builder.result(builder.load(sartor::types::u32, builder.table(hops), position));
}

} // namespace xdp
