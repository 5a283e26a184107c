// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "explore/watch/change_monitor.h"

#include <cmath>
#include <gtest/gtest.h>
#include <initializer_list>
#include <limits>
#include <random>

namespace sartor {
namespace {

using Next = ChangeMonitor::Next;
using Reason = ChangeMonitor::Reason;

/// A machine with noise on a program's costs.
struct Machine {
  double cost = 100;
  double rival = 150;
  double noise = 0.05;
  std::mt19937_64 random{5}; // NOLINT(*-random-generator-seed)

  double noisy(double value) {
    return value * std::exp(noise * std::normal_distribution<>()(random));
  }
  /// Does what the monitor asks for, until it has noticed a change; how many beats and pairs it
  /// took, or -1.
  int run(ChangeMonitor &monitor, int most) {
    for (int step = 0; step < most; ++step) {
      if (monitor.next() == Next::changed)
        return step;
      if (monitor.next() == Next::compare)
        monitor.pair(noisy(cost), noisy(rival));
      else
        monitor.beat(noisy(cost));
    }
    return monitor.next() == Next::changed ? most : -1;
  }
};

Shape shape(std::initializer_list<std::uint64_t> counts) {
  PointProfile point;
  std::uint64_t value = 0;
  for (const std::uint64_t count : counts) {
    point.entries.push_back({.inputs = {Value(value++)}, .count = count});
    point.count += count;
  }
  return Shape::between({}, Profile("", {{"kind", point}}));
}

ChangeMonitor watching(Machine &machine) {
  ChangeMonitor monitor({});
  machine.run(monitor, 500);
  return monitor;
}

TEST(ChangeMonitor, ComparesWithTheRivalFirst) {
  EXPECT_EQ(ChangeMonitor({}).next(), Next::compare);
  EXPECT_EQ(ChangeMonitor({.has_rival = false}).next(), Next::watch);
}

TEST(ChangeMonitor, NoiseIsNoChange) {
  Machine machine;
  ChangeMonitor monitor({});
  EXPECT_EQ(machine.run(monitor, 100'000), -1);
}

TEST(ChangeMonitor, CostThatGrowsAgainstTheRivalsIsAChange) {
  for (const double by : {1.15, 1.3, 2.0}) {
    Machine machine;
    ChangeMonitor monitor = watching(machine);
    machine.cost *= by;
    EXPECT_NE(machine.run(monitor, 1000), -1) << by;
    EXPECT_EQ(monitor.reason(), Reason::cost);
    EXPECT_NEAR(monitor.now() / monitor.before(), by, 0.1 * by);
  }
}

TEST(ChangeMonitor, CostThatFallsAgainstTheRivalsIsNoReasonToLook) {
  Machine machine;
  ChangeMonitor monitor = watching(machine);
  machine.cost /= 1.3;
  EXPECT_EQ(machine.run(monitor, 5000), -1);
  EXPECT_GE(monitor.suspicions(), 1U);
}

TEST(ChangeMonitor, MachineThatSlowsBothDownRaisesASuspicionOnly) {
  Machine machine;
  ChangeMonitor monitor = watching(machine);
  machine.cost *= 1.4;
  machine.rival *= 1.4;
  EXPECT_EQ(machine.run(monitor, 5000), -1);
  EXPECT_GE(monitor.suspicions(), 1U);
  EXPECT_FALSE(monitor.suspects());
  EXPECT_NEAR(monitor.before(), machine.cost, 0.1 * machine.cost);
}

TEST(ChangeMonitor, CostThatDriftsForBothIsNoChange) {
  Machine machine;
  ChangeMonitor monitor = watching(machine);
  for (int i = 0; i < 100; ++i) {
    machine.cost *= 1.02;
    machine.rival *= 1.02;
    EXPECT_EQ(machine.run(monitor, 100), -1);
  }
}

TEST(ChangeMonitor, MultipleOfTheCostNeedsNoProof) {
  Machine machine;
  ChangeMonitor monitor = watching(machine);
  machine.cost *= 10;
  machine.rival *= 10;
  EXPECT_NE(machine.run(monitor, 200), -1);
}

TEST(ChangeMonitor, MultipleOfWhatDependsOnTheLoadProvesNothing) {
  Machine machine;
  ChangeMonitor monitor({.per_request = false});
  machine.run(monitor, 500);
  machine.cost *= 10;
  machine.rival *= 10;
  EXPECT_EQ(machine.run(monitor, 2000), -1);
}

TEST(ChangeMonitor, RivalThatHasBecomeBetterIsAReasonToLook) {
  Machine machine;
  machine.cost = 100;
  machine.rival = 80;
  ChangeMonitor monitor({});
  machine.run(monitor, 500);
  machine.cost *= 1.5; // raises the suspicion that is needed for more pairs
  machine.rival *= 1.5;
  machine.run(monitor, 1000);
  EXPECT_EQ(monitor.next(), Next::changed);
  EXPECT_EQ(monitor.reason(), Reason::rival_is_better);
}

TEST(ChangeMonitor, WithoutARivalACostTellsNothing) {
  Machine machine;
  ChangeMonitor monitor({.has_rival = false});
  machine.run(monitor, 500);
  machine.cost *= 3;
  EXPECT_EQ(machine.run(monitor, 1000), -1);
  EXPECT_EQ(monitor.suspicions(), 0U);
}

TEST(ChangeMonitor, ShapeThatLastsIsAChange) {
  Machine machine;
  ChangeMonitor monitor = watching(machine);
  for (int i = 0; i < 10; ++i)
    EXPECT_NE(monitor.window(shape({1000, 1000})), Next::changed);
  EXPECT_NE(monitor.window(shape({1000, 100})), Next::changed);
  EXPECT_EQ(monitor.window(shape({1000, 100})), Next::changed);
  EXPECT_EQ(monitor.reason(), Reason::shape);
}

TEST(ChangeMonitor, SingleOddWindowIsNoChange) {
  Machine machine;
  ChangeMonitor monitor = watching(machine);
  for (int i = 0; i < 50; ++i)
    EXPECT_NE(monitor.window(i % 5 == 4 ? shape({1000, 100}) : shape({1000, 1000})), Next::changed);
}

TEST(ChangeMonitor, ShapeConfirmsASuspicionAtOnce) {
  Machine machine;
  ChangeMonitor monitor = watching(machine);
  for (int i = 0; i < 10; ++i)
    monitor.window(shape({1000, 1000}));
  for (int i = 0; i < 1000 && !monitor.suspects(); ++i)
    monitor.beat(machine.noisy(120));
  ASSERT_TRUE(monitor.suspects());
  EXPECT_EQ(monitor.window(shape({1000, 100})), Next::changed);
  EXPECT_EQ(monitor.reason(), Reason::shape);
}

TEST(ChangeMonitor, WindowsWithoutRequestsSayNothing) {
  Machine machine;
  ChangeMonitor monitor = watching(machine);
  for (int i = 0; i < 1000; ++i) {
    monitor.beat(std::numeric_limits<double>::quiet_NaN());
    monitor.window({});
  }
  EXPECT_EQ(monitor.next(), Next::watch);
  EXPECT_EQ(monitor.suspicions(), 0U);
}

TEST(ChangeMonitor, NonsenseSaysNothing) {
  Machine machine;
  ChangeMonitor monitor = watching(machine);
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double cost : {0.0, -1.0, infinity, -infinity})
    for (int i = 0; i < 100; ++i)
      EXPECT_EQ(monitor.beat(cost), Next::watch);
}

TEST(ChangeMonitor, CostThatNeverMovesAtAllIsNoChange) {
  Machine machine;
  machine.noise = 0;
  ChangeMonitor monitor({});
  EXPECT_EQ(machine.run(monitor, 10'000), -1);
  EXPECT_EQ(monitor.suspicions(), 0U);
}

TEST(ChangeMonitor, ValueThatJumpsAThousandfoldAllTheTimeIsNoChange) {
  Machine machine;
  machine.noise = 7;
  ChangeMonitor monitor({.per_request = false});
  EXPECT_EQ(machine.run(monitor, 20'000), -1);
  // Most of the time nothing is compared: the rival costs something.
  EXPECT_LT(monitor.pairs(), 10'000U);
}

TEST(ChangeMonitor, CheckThatCannotBeMadeIsGivenUp) {
  Machine machine;
  ChangeMonitor monitor = watching(machine);
  for (int i = 0; i < 1000 && !monitor.suspects(); ++i)
    monitor.beat(machine.noisy(150));
  ASSERT_TRUE(monitor.suspects());
  EXPECT_EQ(monitor.give_up(), Next::watch);
  EXPECT_FALSE(monitor.suspects());
}

} // namespace
} // namespace sartor
