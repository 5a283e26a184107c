// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <sstream>

#include <gtest/gtest.h>

#include "generate.h"
#include "ranges.h"
#include "routes.h"

namespace lpm {
namespace {

using Fault = RouteError::Fault;

template <class Address> auto parse(const std::string &text) {
  std::istringstream stream(text);
  return RouteSet<Address>::parse(stream);
}

/// The error in this text, and its line.
template <class Address> RouteError error_of(const std::string &text) {
  const auto set = parse<Address>(text);
  EXPECT_FALSE(set) << text;
  return set ? RouteError{} : set.error();
}

TEST(Routes, are_read_from_text) {
  const auto set = parse<Address4>("# a comment\n\n0.0.0.0/0 7\n  192.0.2.0/24   3 # another\n");
  ASSERT_TRUE(set) << set.error().message;
  EXPECT_EQ(set->routes(), (std::vector<Route<Address4>>{{0, 0, 7}, {0xc000'0200, 24, 3}}));
  EXPECT_EQ(set->default_hop(), 7);
  EXPECT_EQ(set->lengths(), std::vector<unsigned>{24});
}

TEST(Routes, of_ipv6_are_read_from_text) {
  const auto set = parse<Address6>("2001:db8::/32 1\n::1/128 2\n");
  ASSERT_TRUE(set) << set.error().message;
  EXPECT_EQ(set->routes(), (std::vector<Route<Address6>>{
                               {1, 128, 2}, {address6(0x2001'0db8'0000'0000, 0), 32, 1}}));
  EXPECT_EQ(set->default_hop(), kNoRoute);
}

TEST(Routes, become_the_text_they_come_from) {
  const std::string line = "2001:db8:0:1::/64 12";
  const auto set = parse<Address6>(line);
  ASSERT_TRUE(set);
  EXPECT_EQ(text(set->routes().front()), line);
}

TEST(Routes, that_occur_twice_are_refused_with_both_places) {
  const RouteError error = error_of<Address4>("10.0.0.0/8 1\n10.0.0.0/9 1\n10.0.0.0/8 2\n");
  EXPECT_EQ(error.fault, Fault::duplicate);
  EXPECT_EQ(error.line, 3);
  EXPECT_NE(error.message.find("10.0.0.0/8 2: already there, as number 1"), std::string::npos)
      << error.message;
}

TEST(Routes, that_occur_twice_are_refused_for_ipv6) {
  EXPECT_EQ(error_of<Address6>("::/0 1\n::/0 1\n").fault, Fault::duplicate);
}

TEST(Routes, longer_than_an_address_are_refused) {
  const RouteError error = error_of<Address4>("10.0.0.0/8 1\n10.0.0.0/33 1\n");
  EXPECT_EQ(error.fault, Fault::length_out_of_range);
  EXPECT_EQ(error.line, 2);
  EXPECT_EQ(error_of<Address6>("2001:db8::/129 1").fault, Fault::length_out_of_range);
}

TEST(Routes, with_bits_behind_the_prefix_are_refused_with_the_right_prefix) {
  const RouteError error = error_of<Address4>("10.0.0.1/8 1");
  EXPECT_EQ(error.fault, Fault::host_bits);
  EXPECT_NE(error.message.find("write 10.0.0.0"), std::string::npos) << error.message;
}

TEST(Routes, to_hops_that_no_table_can_hold_are_refused) {
  EXPECT_EQ(error_of<Address4>("10.0.0.0/8 16777216").fault, Fault::hop_out_of_range);
}

TEST(Routes, that_are_not_routes_are_refused_with_their_line) {
  for (const char *line :
       {"10.0.0.0 1", "10.0.0/8 1", "10.0.0.0/8", "10.0.0.0/8 1 1", "10.0.0.0/ 1", "10.0.0.0/-1 1",
        "10.0.0.0/8x 1", "10.0.0.0/8 x", "2001:db8::/32 1", "10.0.0.0/8 99999999999", "/8 1"}) {
    const RouteError error = error_of<Address4>(std::string("\n") + line);
    EXPECT_EQ(error.fault, Fault::syntax) << line;
    EXPECT_EQ(error.line, 2);
  }
}

TEST(Routes, in_a_file_that_is_not_there_are_an_error_that_names_it) {
  const auto set = RouteSet4::read("/nowhere/routes");
  ASSERT_FALSE(set);
  EXPECT_EQ(set.error().fault, Fault::unreadable);
  EXPECT_NE(set.error().message.find("/nowhere/routes"), std::string::npos);
}

TEST(Routes, given_as_a_list_are_checked_too) {
  const auto set = RouteSet4::make({{0, 0, 1}, {1U << 31, 40, 1}});
  ASSERT_FALSE(set);
  EXPECT_EQ(set.error().fault, Fault::length_out_of_range);
  EXPECT_EQ(set.error().line, 2);
}

TEST(Routes, for_the_workloads_have_all_lengths_and_leave_room_for_the_default_route) {
  const RouteSet4 set = workload_routes<Address4>(10'000);
  EXPECT_EQ(set.routes().size(), 10'001);
  EXPECT_EQ(set.lengths().size(), 25);
  EXPECT_EQ(set.lengths().front(), 32);
  const RouteSet6 set6 = workload_routes<Address6>(10'000);
  EXPECT_EQ(set6.routes().size(), 10'001);
  EXPECT_EQ(set6.lengths().size(), 46);
}

TEST(Routes, like_the_internet_s_are_mostly_24_bits_long) {
  const RouteSet4 set = internet_routes<Address4>(kInternetRoutes);
  const auto count = std::ranges::count(set.routes(), 24, &Route<Address4>::length);
  EXPECT_NEAR(static_cast<double>(count) / kInternetRoutes, 0.6, 0.02);
}

template <class Address> class Traces : public testing::Test {};
using Families = testing::Types<Address4, Address6>;
TYPED_TEST_SUITE(Traces, Families);

TYPED_TEST(Traces, of_workload_a_match_the_longest_prefixes) {
  const auto set = workload_routes<TypeParam>(100);
  const unsigned longest = set.lengths().front();
  for (const TypeParam address : trace(set, Workload::specific, 8, 100))
    EXPECT_TRUE(std::ranges::any_of(set.routes(), [&](const auto &route) {
      return route.length == longest && (address & mask<TypeParam>(longest)) == route.prefix;
    }));
}

TYPED_TEST(Traces, of_workload_b_match_the_default_route_only) {
  const auto set = workload_routes<TypeParam>(1000);
  for (const TypeParam address : trace(set, Workload::general, 64, 100))
    EXPECT_EQ(set.lookup(address), 0);
}

TYPED_TEST(Traces, hold_so_many_destinations) {
  const auto set = workload_routes<TypeParam>(10);
  auto addresses = trace(set, Workload::general, 5, 1000);
  std::ranges::sort(addresses);
  const auto repeated = std::ranges::unique(addresses);
  EXPECT_EQ(repeated.begin() - addresses.begin(), 5);
}

template <class Address> class Ranges : public testing::Test {};
TYPED_TEST_SUITE(Ranges, Families);

TYPED_TEST(Ranges, of_no_routes_are_one_without_a_route) {
  EXPECT_EQ(ranges(RouteSet<TypeParam>()), (std::vector<Range<TypeParam>>{{0, kNoRoute}}));
}

TYPED_TEST(Ranges, are_ascending_and_neighbours_differ) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto cut = ranges(random_routes<TypeParam>(50, seed));
    EXPECT_EQ(cut.front().start, TypeParam{0});
    for (std::size_t i = 1; i < cut.size(); ++i) {
      EXPECT_LT(cut[i - 1].start, cut[i].start);
      EXPECT_NE(cut[i - 1].hop, cut[i].hop);
    }
  }
}

} // namespace
} // namespace lpm
