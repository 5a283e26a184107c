// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_STUDIES_LPM_ORACLE_H
#define SARTOR_TEST_STUDIES_LPM_ORACLE_H

#include <vector>

#include <gtest/gtest.h>

#include "generate.h"
#include "ranges.h"
#include "routes.h"

namespace lpm {

/// Addresses that reveal errors of a lookup: the first and last of all routes, their neighbours,
/// and some random ones.
template <class Address> std::vector<Address> reporting_addresses(const RouteSet<Address> &set) {
  std::vector<Address> addresses = {0, last_address<Address>};
  for (const Route<Address> &route : set.routes())
    for (const Address edge :
         {route.prefix, static_cast<Address>(route.prefix | ~mask<Address>(route.length))})
      for (const Address address : {edge - 1, edge, edge + 1})
        addresses.push_back(address);
  for (const Address address : trace(set, Workload::mixed, 50, 50))
    addresses.push_back(address);
  return addresses;
}

/// Expects a burst lookup to agree with a linear search.
template <class Address, class Lookup>
void expect_right(const RouteSet<Address> &set, const std::vector<Address> &addresses,
                  const Lookup &lookup) {
  std::vector<std::uint32_t> hops(addresses.size(), 0xdeadbeef);
  lookup(addresses.data(), hops.data(), addresses.size());
  for (std::size_t i = 0; i < addresses.size(); ++i)
    ASSERT_EQ(hops[i], set.lookup(addresses[i])) << text(addresses[i]);
}

} // namespace lpm

#endif
