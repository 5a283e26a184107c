// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks the statements of docs/guides/invariants.md about its example.
#include <array>

#include <gtest/gtest.h>

#include "examples/invariant/handlers.h"
#include "folding.h"
#include "runtime/assumptions/registry.h"

namespace {

class NoCode final : public sartor::runtime::Dependent {
public:
  sartor::runtime::Deactivated deactivate(std::uint64_t,
                                          const sartor::runtime::Holding &) override {
    return {};
  }
  void forget(std::uint64_t) override {}
  void look_again() override {}
  void not_waited_for(std::uint64_t) override {}
};

TEST(ExampleShape, IsTwoComparisonsWithoutALoop) {
  const std::array<Rule, 2> rules = {{{0x0a000000, 0xff000000, 1}, {0xc0a80000, 0xffff0000, 2}}};
  const Connection connection{0, rules.data(), rules.size()};
  sartor::runtime::Registry registry;
  const auto declare = [&](const void *object, std::size_t size, const void *part,
                           std::size_t part_size) {
    const auto of = reinterpret_cast<std::uintptr_t>(object);
    const auto from = reinterpret_cast<std::uintptr_t>(part);
    EXPECT_TRUE(registry.declare(0, {of, of + size}, {from, from + part_size}));
  };
  declare(&connection, sizeof connection, static_cast<const void *>(&connection.rules),
          sizeof(const Rule *));
  declare(&connection, sizeof connection, &connection.rule_count, sizeof connection.rule_count);
  declare(rules.data(), sizeof rules, rules.data(), sizeof rules);

  NoCode nobody;
  registry.add(nobody, {});
  Folding folding;
  const auto bound = reinterpret_cast<std::uintptr_t>(&connection);
  const Shape shape = folding.shape(
      folding.context("_Z6filterP10Connectionj", &connection, registry.reach(nobody, {&bound, 1})));
  EXPECT_EQ(shape.loops, 0U) << shape.text;
  EXPECT_EQ(shape.loads, 1U) << shape.text; // the load of the packet count
  EXPECT_EQ(shape.calls, 0U) << shape.text;
}

} // namespace
