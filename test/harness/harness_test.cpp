// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cmath>

#include <gtest/gtest.h>

#include "figures.h"
#include "harness.h"

namespace sartor::bench {

namespace {

TEST(HarnessTest, TakesAConstantCostAway) {
  const Samples rest = without({110, 111, 109, 110, 110}, {10, 11, 9, 10, 10});
  EXPECT_DOUBLE_EQ(median(rest).value, 100);
}

TEST(HarnessTest, MakesNoFigureOfNoise) {
  const Samples nothing = {100, 130, 70, 105, 95};
  const Samples little = without({104, 131, 72, 106, 97}, nothing);
  EXPECT_TRUE(little.empty());
  const Samples much = without({1104, 1131, 1072, 1106, 1097}, nothing);
  EXPECT_FALSE(much.empty());
  const Interval measured = ratio(much, little);
  EXPECT_TRUE(std::isnan(measured.value));
  const Figure figure{.name = "f", .unit = "ratio", .measured = measured, .goal = at_least(0)};
  EXPECT_FALSE(figure.reached());
}

} // namespace

} // namespace sartor::bench
