// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "family.h"
#include "handwritten.h"
#include "lpm_oracle.h"
#include "tree.h"

namespace lpm {
namespace {

constexpr std::uint64_t kSets = 30;

/// Sets of different sizes, without the empty one.
template <class Address> RouteSet<Address> some_routes(std::uint64_t seed) {
  return random_routes<Address>(1 + seed * seed % 97, seed);
}

template <class Address> class Lookup : public testing::Test {};
using Families = testing::Types<Address4, Address6>;
TYPED_TEST_SUITE(Lookup, Families);

TYPED_TEST(Lookup, in_hash_tables_is_right) {
  for (std::uint64_t seed = 0; seed < kSets; ++seed) {
    const auto set = some_routes<TypeParam>(seed);
    const TableOwner<TypeParam> owner(set);
    expect_right(set, reporting_addresses(set),
                 [&](auto... burst) { Family<TypeParam>::lookup(owner.table(), burst...); });
  }
}

TYPED_TEST(Lookup, in_an_empty_table_finds_no_route) {
  const TableOwner<TypeParam> owner(RouteSet<TypeParam>{});
  const TypeParam address = 5;
  std::uint32_t hop = 0;
  Family<TypeParam>::lookup(owner.table(), &address, &hop, 1);
  EXPECT_EQ(hop, kNoRoute);
}

TYPED_TEST(Lookup, in_dpdk_s_tables_is_right) {
  for (std::uint64_t seed = 0; seed < kSets; ++seed) {
    const auto set = some_routes<TypeParam>(seed);
    const typename Family<TypeParam>::RteOwner owner(set);
    expect_right(set, reporting_addresses(set),
                 [&](auto... burst) { Family<TypeParam>::rte_lookup(owner.table(), burst...); });
  }
}

TYPED_TEST(Lookup, by_trees_in_c_is_right) {
  for (const auto &[name, set] : study_sets<TypeParam>()) {
    std::vector<TypeParam> addresses = reporting_addresses(*set);
    if (addresses.size() > 2000) // the reference is slow
      std::shuffle(addresses.begin(), addresses.end(), std::mt19937(1)), addresses.resize(2000);
    for (const std::uint32_t leaf_size : kLeafSizes)
      expect_right(*set, addresses, handwritten<TypeParam>(name, leaf_size));
  }
}

} // namespace
} // namespace lpm
