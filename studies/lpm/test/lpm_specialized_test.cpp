// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Specialized lookups compared with a linear search, on random route sets.
#include <cstdlib>

#include <gtest/gtest.h>

#include "folded.h"
#include "lpm_oracle.h"
#include "specialized.h"
#include "tree.h"

namespace lpm {
namespace {

constexpr std::uint32_t kSpoilt = 12'345;

// Tables are spoilt, to show that variants do not read them: native code gives other results then.
const int kNotCompared = setenv("SARTOR_VERIFY", "off", 1);

template <class Address> struct Routes {
  explicit Routes(std::uint64_t seed)
      : set(std::make_shared<const RouteSet<Address>>(
            random_routes<Address>(1 + seed * 37 % 97, seed))),
        table(*set) {}
  std::shared_ptr<const RouteSet<Address>> set;
  TableOwner<Address> table;
};

template <class Address> class SpecializedLookup : public testing::Test {};
using Families = testing::Types<Address4, Address6>;
TYPED_TEST_SUITE(SpecializedLookup, Families);

TYPED_TEST(SpecializedLookup, by_decision_trees_is_right) {
  for (std::uint64_t seed = 0; seed < 6; ++seed)
    for (const std::uint32_t leaf_size : kLeafSizes) {
      const Routes<TypeParam> routes(seed);
      const Specialized<TypeParam> lookup(routes.set, routes.table, {leaf_size, 0});
      expect_right(*routes.set, reporting_addresses(*routes.set), lookup);
    }
}

TYPED_TEST(SpecializedLookup, by_a_fast_path_is_right_for_what_it_has_seen_and_what_not) {
  for (const std::uint32_t answers : {1U, 4U, 64U}) {
    const Routes<TypeParam> routes(answers);
    const auto addresses = reporting_addresses(*routes.set);
    const Specialized<TypeParam> lookup(routes.set, routes.table, {0, answers},
                                        std::span(addresses).first(addresses.size() / 2));
    expect_right(*routes.set, addresses, lookup);
  }
}

TYPED_TEST(SpecializedLookup, by_a_fast_path_before_a_tree_is_right) {
  for (const std::uint32_t leaf_size : kLeafSizes) {
    const Routes<TypeParam> routes(leaf_size);
    const auto addresses = reporting_addresses(*routes.set);
    const Specialized<TypeParam> lookup(routes.set, routes.table, {leaf_size, 16},
                                        std::span(addresses).first(addresses.size() / 2));
    expect_right(*routes.set, addresses, lookup);
  }
}

/// Overwrites the hops of a table without a guard: lookups that read the table are wrong
/// afterwards.
template <class Address> void spoil(const TableOwner<Address> &table) {
  const_cast<Table<Address> *>(table.table())->default_hop = kSpoilt;
  for (const Slot<Address> &slot : table.slots())
    const_cast<Slot<Address> &>(slot).hop = kSpoilt;
}

TYPED_TEST(SpecializedLookup, by_a_fast_path_is_answered_by_the_code_where_it_has_been_seen) {
  for (const Workload workload : {Workload::specific, Workload::general}) {
    const auto set = std::make_shared<const RouteSet<TypeParam>>(workload_routes<TypeParam>(1000));
    const TableOwner<TypeParam> table(*set);
    const auto seen = trace(*set, workload, 16, 500);
    const Specialized<TypeParam> lookup(set, table, {0, 16}, seen);
    spoil(table);
    expect_right(*set, seen, lookup);
    const TypeParam unseen = seen.front() ^ 1;
    std::uint32_t hop = 0;
    lookup(&unseen, &hop, 1);
    EXPECT_EQ(hop, kSpoilt);
  }
}

TYPED_TEST(SpecializedLookup, by_a_fast_path_before_a_tree_needs_no_table) {
  for (const std::uint32_t leaf_size : kLeafSizes) {
    const Routes<TypeParam> own(5);
    const auto addresses = reporting_addresses(*own.set);
    const Specialized<TypeParam> lookup(own.set, own.table, {leaf_size, 16},
                                        std::span(addresses).first(addresses.size() / 2));
    spoil(own.table);
    expect_right(*own.set, addresses, lookup);
  }
}

TYPED_TEST(SpecializedLookup, in_an_invariant_table_is_right) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const Routes<TypeParam> routes(seed);
    const Folded<TypeParam> lookup(routes.table);
    expect_right(*routes.set, reporting_addresses(*routes.set), lookup);
  }
}

TYPED_TEST(SpecializedLookup, of_a_large_set_is_right) {
  const auto set = std::make_shared<const RouteSet<TypeParam>>(workload_routes<TypeParam>(10'000));
  const TableOwner<TypeParam> table(*set);
  const Specialized<TypeParam> lookup(set, table, {1, 0});
  expect_right(*set, trace(*set, Workload::mixed, 500, 500), lookup);
}

} // namespace
} // namespace lpm
