// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/automatic/quasi_constants.h"

#include <cmath>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

namespace sartor {
namespace {

Point point(std::string label, std::vector<Seen::Input> seen, std::uint64_t count = 1000) {
  Point made{.label = std::move(label), .sites = {{.function = "sum"}}, .handlers = {"sum"}};
  made.seen = Seen{.count = count, .top = std::move(seen)};
  return made;
}

TEST(QuasiConstants, AreTheFrequentValuesOfAutomaticPoints) {
  const auto handlers = sampled_handlers(Space(
      {point("auto.sum.count", {{{8}, 0.7}, {{16}, 0.27}, {{9}, 0.02}}),
       point("auto.sum.key", {{{1}, 0.1}, {{2}, 0.1}}), point("sum.of_the_program", {{{1}, 1}})}));
  ASSERT_EQ(handlers.size(), 1);
  EXPECT_EQ(handlers[0].handler, "sum");
  EXPECT_EQ(handlers[0].calls, 1000);
  ASSERT_EQ(handlers[0].values.size(), 1);
  EXPECT_EQ(handlers[0].values.at("auto.sum.count"), (std::vector<Value>{8, 16}));
}

TEST(QuasiConstants, OfPointersAreSymbols) {
  Point order = point("auto.sum.order", {{{0x7f00'0000}, 0.6}, {{"ascending"}, 0.4}});
  order.type.kind = PointType::Class::pointer;
  EXPECT_EQ(sampled_handlers(Space({order}))[0].values.at("auto.sum.order"),
            std::vector<Value>{"ascending"});
}

TEST(QuasiConstants, AreNumbers) {
  Point scale = point("auto.sum.scale", {{{Value(NAN)}, 0.6}, {{Value(0.5)}, 0.4}});
  scale.type.kind = PointType::Class::floating;
  EXPECT_EQ(sampled_handlers(Space({scale}))[0].values.at("auto.sum.scale"),
            std::vector<Value>{0.5});
}

TEST(QuasiConstants, BelongToTheHandlerThatIsTheirFunction) {
  Point inner = point("auto.inner.n", {{{4}, 1}});
  inner.sites = {{.function = "inner"}};
  inner.handlers = {"a_caller", "inner"};
  EXPECT_EQ(sampled_handlers(Space({inner}))[0].handler, "inner");
}

TEST(QuasiConstants, AreCountedInGroupsOfHandlers) {
  std::vector<Point> points;
  for (const std::string handler : {"a", "b", "c"})
    for (const std::string name : {"m", "n"}) {
      points.push_back(point(std::string("auto.").append(handler).append(".").append(name), {}));
      points.back().sites = {{.function = handler}};
      points.back().handlers = {handler};
    }
  EXPECT_EQ(automatic_labels(Space(points), 2),
            (std::vector<std::vector<std::string>>{{"auto.a.m", "auto.a.n", "auto.b.m", "auto.b.n"},
                                                   {"auto.c.m", "auto.c.n"}}));
  EXPECT_TRUE(automatic_labels(Space(), 2).empty());
}

TEST(QuasiConstants, AreTriedTogetherAloneAndAtTheirSecondValues) {
  const SampledHandler sampled{.handler = "sum", .values = {{"a", {1, 2}}, {"b", {5}}}};
  EXPECT_EQ(candidates(sampled, {{"other", 7}}),
            (std::vector<Configuration>{{{"other", 7}, {"a", 1}, {"b", 5}},
                                        {{"other", 7}, {"a", 1}},
                                        {{"other", 7}, {"b", 5}},
                                        {{"other", 7}, {"a", 2}, {"b", 5}}}));
  EXPECT_TRUE(candidates({.handler = "sum"}, {{"other", 7}}).empty());
}

} // namespace
} // namespace sartor
