// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The forwarding tables of studies/rust must agree with a linear search.
#include <gmock/gmock.h>

#include "routes.h"
#include "tables.h"

namespace {

using namespace sartor::rust_study;

using Native = void(const Rule *, std::size_t, const std::uint32_t *, std::size_t, std::uint16_t *);

void expect_right(const std::vector<Rule> &rules) {
  std::vector<std::uint32_t> addresses = traffic(rules, 3000);
  for (const Rule &each : rules)
    addresses.insert(addresses.end(), {each.network, each.network | ~each.mask, each.network - 1});
  std::vector<std::uint16_t> expected;
  for (const std::uint32_t address : addresses)
    expected.push_back(port_of(rules, address));
  for (Native *native : {rust_forward, forward_in_c}) {
    std::vector<std::uint16_t> ports(addresses.size());
    native(rules.data(), rules.size(), addresses.data(), addresses.size(), ports.data());
    EXPECT_EQ(ports, expected);
  }
  for (const auto &table : {table_in_rust(rules), table_in_c(rules)}) {
    std::vector<std::uint16_t> ports(addresses.size());
    table->forward(addresses, ports.data());
    EXPECT_EQ(ports, expected);
    table->forward(std::span(addresses).first(0), ports.data());
  }
}

TEST(RustStudy, TablesOfAllSizes) {
  for (const std::size_t size : {1U, 2U, 100U, 1000U})
    expect_right(routes(size));
}

TEST(RustStudy, TablesMayChangeWhenTheyAreClosed) {
  std::vector<Rule> rules = routes(50);
  expect_right(rules);
  for (Rule &each : rules)
    each.port = static_cast<std::uint16_t>(each.port + 1);
  expect_right(rules);
}

} // namespace
