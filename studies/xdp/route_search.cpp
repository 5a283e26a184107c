// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "route_search.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <set>
#include <string>

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

sartor::GeneratedCode route_search(const std::vector<Route> &routes) {
  const std::vector<Interval> intervals = intervals_of(routes);
  const std::size_t size = std::bit_ceil(intervals.size());
  std::string firsts;
  std::string hops;
  for (std::size_t i = 0; i < size; ++i) {
    firsts += std::to_string(i < intervals.size() ? intervals[i].first : kLast) + "u,";
    hops += std::to_string(intervals[std::min(i, intervals.size() - 1)].hop) + "u,";
  }
  // Packets have the bytes of an address in reverse order. `mask` is all ones if the address is
  // below, else zero; LLVM must not see it, or it makes branches of it.
  std::string text = "static const unsigned long firsts[] = {" + firsts +
                     "};\nstatic const unsigned hops[] = {" + hops +
                     "};\n"
                     "#define HIDE(x) __asm__(\"\" : \"+r\"(x))\n"
                     "unsigned specialized(unsigned bytes, unsigned count) {\n"
                     "  unsigned long address = bytes & 0xff, at = 0, below, mask;\n";
  for (const char *shift : {"8", "16", "24"})
    text += std::string("  address = address << 8 | (bytes >> ") + shift + " & 0xff);\n";
  for (std::size_t step = size / 2; step > 0; step /= 2) {
    const std::string number = std::to_string(step) + "ul";
    text.append("  below = address - firsts[at | ")
        .append(number)
        .append("];\n  HIDE(below);\n  mask = (long)below >> 63;\n  HIDE(mask);\n  at |= ~mask & ")
        .append(number)
        .append(";\n");
  }
  return {.text = text + "  return hops[at];\n}\n"};
}

} // namespace xdp
