// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Route sets and addresses for the study. The same arguments give the same sets, everywhere.
#ifndef LPM_GENERATE_H
#define LPM_GENERATE_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "routes.h"

namespace lpm {

/// Next hops that generated routes lead to: 1 to this; the default route's is 0.
inline constexpr std::uint32_t kHops = 16;

/// A default route and `count` others at random places. Their lengths are dealt in turn, the
/// longest first, so that a small set has long prefixes and a large one all lengths: IPv4 from 32
/// to 8, IPv6 from 128 and then from 64 to 20.
template <class Address> RouteSet<Address> workload_routes(std::size_t count);

/// A default route and `count` others shaped like the Internet's routing table: its shares of
/// prefix lengths, half of the routes inside others.
template <class Address> RouteSet<Address> internet_routes(std::size_t count);

/// `count` routes of any length at all, default route or not: for tests.
template <class Address> RouteSet<Address> random_routes(std::size_t count, std::uint64_t seed);

/// Routes beside the default route in the sets of the study.
inline constexpr std::size_t kSizes[] = {1, 10, 100, 1'000, 10'000};
inline constexpr std::size_t kInternetRoutes = 10'000;

/// A set of the study: "workload_<routes>" or "internet_<routes>".
template <class Address> struct NamedSet {
  std::string name;
  std::shared_ptr<const RouteSet<Address>> set;
};
template <class Address> NamedSet<Address> workload_set(std::size_t count);
template <class Address> NamedSet<Address> internet_set();
/// All of them: workload sets of kSizes, then the one like the Internet's.
template <class Address> std::vector<NamedSet<Address>> study_sets();

/// What the addresses of a trace are like.
enum class Workload : unsigned char {
  specific, ///< A: all match the routes with the longest prefix that occurs.
  general,  ///< B: only the default route matches.
  mixed,    ///< Half of the destinations inside routes, the others anywhere; some are more popular
            ///< than others (Zipf's law with exponent 1).
};

/// `count` addresses in random order, to at most `destinations` different ones.
template <class Address>
std::vector<Address> trace(const RouteSet<Address> &set, Workload workload,
                           std::size_t destinations, std::size_t count);

} // namespace lpm

#endif
