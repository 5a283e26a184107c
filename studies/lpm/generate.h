// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Route sets and addresses for the study. The same arguments give the same sets on every
/// platform.
#ifndef LPM_GENERATE_H
#define LPM_GENERATE_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "routes.h"

namespace lpm {

/// Generated routes have next hops from 1 to this; the default route has next hop 0.
inline constexpr std::uint32_t kHops = 16;

/// A default route and `count` others at random addresses. Their lengths are dealt in turn, the
/// longest first, so that a small set has long prefixes and a large one all lengths: IPv4 from 32
/// to 8, IPv6 from 128 and then from 64 to 20.
template <class Address> RouteSet<Address> workload_routes(std::size_t count);

/// A default route and `count` others with the shape of the Internet's routing table: its shares of
/// prefix lengths, and half of the routes inside others.
template <class Address> RouteSet<Address> internet_routes(std::size_t count);

/// `count` routes of arbitrary lengths, with or without a default route: for tests.
template <class Address> RouteSet<Address> random_routes(std::size_t count, std::uint64_t seed);

/// Number of routes in addition to the default route in the sets of the study.
inline constexpr std::size_t kSizes[] = {1, 10, 100, 1'000, 10'000};
inline constexpr std::size_t kInternetRoutes = 10'000;

/// A set of the study: "workload_<routes>" or "internet_<routes>".
template <class Address> struct NamedSet {
  std::string name;
  std::shared_ptr<const RouteSet<Address>> set;
};
template <class Address> NamedSet<Address> workload_set(std::size_t count);
template <class Address> NamedSet<Address> internet_set();
/// All sets: the workload sets of kSizes, then the one shaped like the Internet's table.
template <class Address> std::vector<NamedSet<Address>> study_sets();

/// The distribution of the addresses of a trace.
enum class Workload : unsigned char {
  specific, ///< A: all addresses match routes with the longest prefix in the set.
  general,  ///< B: only the default route matches.
  mixed, ///< Half of the destinations are inside routes, the others anywhere; popularities follow
         ///< Zipf's law with exponent 1.
};

/// `count` addresses in random order, to at most `destinations` different ones.
template <class Address>
std::vector<Address> trace(const RouteSet<Address> &set, Workload workload,
                           std::size_t destinations, std::size_t count);

} // namespace lpm

#endif
