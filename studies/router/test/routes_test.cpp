// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Route files, generated routes, and the answers of the table.
#include <random>
#include <set>
#include <sstream>
#include <string>

#include <gmock/gmock.h>

#include "burst.h"
#include "router.h"
#include "routes.h"

namespace router {
namespace {

using testing::HasSubstr;

std::vector<RouteLine> read(const std::string &text) {
  std::istringstream in(text);
  return read_routes(in, "file");
}

std::string why_not(const std::string &text) {
  try {
    read(text);
    return "";
  } catch (const BadRoutes &error) {
    return error.what();
  }
}

TEST(Routes, AreReadFromLines) {
  EXPECT_EQ(read("# a comment\n\n192.0.2.0/24 via 10.2.0.9 # the lab\n0.0.0.0/0 via 10.2.0.1"),
            (std::vector<RouteLine>{{{0xc000'0200, 24}, 0x0a02'0009}, {{0, 0}, 0x0a02'0001}}));
}

TEST(Routes, NameTheLineOfALengthOutOfRange) {
  EXPECT_THAT(why_not("\n192.0.2.0/33 via 10.2.0.9"), HasSubstr("file:2: \"33\" is no length"));
}

TEST(Routes, RefuseANegativeLength) {
  EXPECT_THAT(why_not("192.0.2.0/-1 via 10.2.0.9"), HasSubstr("is no length"));
}

TEST(Routes, RefuseBitsBeyondTheLength) {
  EXPECT_THAT(why_not("192.0.2.1/24 via 10.2.0.9"), HasSubstr("bits beyond its length"));
}

TEST(Routes, NameBothLinesOfADuplicate) {
  EXPECT_THAT(why_not("192.0.2.0/24 via 10.2.0.9\n\n192.0.2.0/24 via 10.2.0.8"),
              HasSubstr("file:3: 192.0.2.0/24 is also in line 1"));
}

TEST(Routes, RefuseWhatIsNoRoute) {
  EXPECT_THAT(why_not("192.0.2.0/24 10.2.0.9"), HasSubstr("write a route as"));
  EXPECT_THAT(why_not("192.0.2.0/24 via nobody"), HasSubstr("write a route as"));
  EXPECT_THAT(why_not("192.0.2.0/24 via 10.2.0.9 10.2.0.8"), HasSubstr("write a route as"));
  EXPECT_THAT(why_not("192.0.2/24 via 10.2.0.9"), HasSubstr("is no network"));
}

TEST(Routes, RefuseAFileThatIsNotThere) {
  EXPECT_THROW(read_routes(std::filesystem::path("/nowhere/routes")), BadRoutes);
}

TEST(Routes, AreWrittenAsTheyAreRead) {
  const std::vector<std::uint32_t> gateways{0x0a02'0001, 0x0a02'0002};
  const std::vector<RouteLine> routes = made_up_routes(500, 3, gateways);
  std::stringstream file;
  write_routes(file, routes);
  EXPECT_EQ(read_routes(file, "file"), routes);
}

TEST(MadeUpRoutes, AreAsManyAsAskedForAndAllDifferent) {
  const std::vector<std::uint32_t> gateways{0x0a02'0001};
  std::set<Network> networks;
  for (const RouteLine &route : made_up_routes(1000, 1, gateways))
    networks.insert(route.network);
  EXPECT_EQ(networks.size(), 1000U);
}

TEST(MadeUpRoutes, AreTheSameForTheSameSeed) {
  const std::vector<std::uint32_t> gateways{0x0a02'0001};
  EXPECT_EQ(made_up_routes(50, 7, gateways), made_up_routes(50, 7, gateways));
  EXPECT_NE(made_up_routes(50, 7, gateways), made_up_routes(50, 8, gateways));
}

TEST(Lookup, FindsTheLongestMatch) {
  std::vector<std::uint32_t> gateways;
  for (std::uint32_t i = 0; i < 50; ++i)
    gateways.push_back(0x0a02'0010 + i);
  const std::vector<RouteLine> lines = made_up_routes(300, 5, gateways);
  Router router({{{2, 0, 0, 0, 0, 1}, 0x0a02'0001, 16}});
  router.set_routes(lines);
  // Adjacencies are numbered in the order in which their gateways first occur in the lines.
  const auto number_of_gateway = [&](std::uint32_t gateway) { return 3 + (gateway - gateways[0]); };

  std::mt19937_64 random(1);
  for (int i = 0; i < 5000; ++i) {
    const Network &near = lines[random() % lines.size()].network;
    const std::uint32_t address =
        near.prefix ^ (static_cast<std::uint32_t>(random()) >> random() % 32);
    if (address >> 24 == 10)
      continue;
    const RouteLine *best = nullptr;
    for (const RouteLine &line : lines)
      if (((address ^ line.network.prefix) & mask_of(line.network.length)) == 0 &&
          (!best || line.network.length > best->network.length))
        best = &line;
    ASSERT_EQ(lookup(&router.tables(), address), number_of_gateway(best->gateway))
        << text_of(address);
  }
}

} // namespace
} // namespace router
