// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/watch/drift.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>

namespace sartor {
namespace {

using Next = Drift::Next;
using Reason = Drift::Reason;

constexpr double kBeat = 0.025, kSlice = 0.002, kPair = 0.008;

/// A machine with noise on a program's costs.
struct Machine {
  double cost = 100;
  double rival = 150;
  double noise = 0.05;
  double rival_seconds = 0;
  double seconds = 0;
  std::mt19937_64 random{5}; // NOLINT(*-random-generator-seed)

  double noisy(double value) {
    return value * std::exp(noise * std::normal_distribution<>()(random));
  }
  /// Does what is asked for, until a change has been noticed or for so long; the seconds it took.
  double run(Drift &drift, double most) {
    const double began = seconds;
    while (drift.next() != Next::changed && seconds - began < most) {
      drift.beat(noisy(cost), kBeat);
      seconds += kBeat;
      if (drift.next() != Next::pair)
        continue;
      drift.pair({noisy(cost), noisy(rival), kSlice, 0}, kPair);
      rival_seconds += kSlice;
      seconds += kPair;
    }
    return seconds - began;
  }
};

constexpr double kKnown = 400;

Drift watching(Machine &machine) {
  Drift drift({});
  machine.run(drift, kKnown);
  return drift;
}

TEST(Drift, RivalIsInForceWithinTheBudgetFromTheStart) {
  for (const double rival : {101.0, 120.0, 200.0, 1000.0, 3000.0}) {
    Machine machine{.rival = rival};
    Drift drift({});
    for (int second = 1; second <= 600; ++second) {
      machine.run(drift, 1);
      const double excess = std::max(rival / 100 - 1, 1.0);
      // What one pair may have overdrawn.
      ASSERT_LE(machine.rival_seconds * (rival < 102 ? 0.4 : excess),
                0.005 * machine.seconds + 2 * kSlice * excess)
          << rival << " after " << second;
    }
    EXPECT_GT(drift.pairs(), 0U) << rival;
  }
}

TEST(Drift, NoiseIsNoChange) {
  Machine machine;
  Drift drift({});
  machine.run(drift, 3600);
  EXPECT_EQ(drift.next(), Next::beat);
}

TEST(Drift, GroundLostToTheRivalIsAChange) {
  for (const double by : {1.15, 1.3, 2.0, 8.0}) {
    Machine machine;
    Drift drift = watching(machine);
    machine.cost *= by;
    EXPECT_LT(machine.run(drift, 60), 10) << by;
    EXPECT_EQ(drift.reason(), Reason::lost_ground);
    EXPECT_EQ(drift.rival_leads(), by > 1.5);
  }
}

TEST(Drift, GroundLostBitByBitIsAChange) {
  Machine machine;
  Drift drift = watching(machine);
  for (int second = 0; second < 600 && drift.next() != Next::changed; ++second) {
    machine.cost *= std::pow(1.4, 1 / 600.0);
    machine.run(drift, 1);
  }
  EXPECT_EQ(drift.next(), Next::changed);
}

TEST(Drift, GroundWonIsNoReasonToLook) {
  Machine machine;
  Drift drift = watching(machine);
  machine.cost /= 1.3;
  machine.run(drift, 600);
  EXPECT_NE(drift.next(), Next::changed);
}

TEST(Drift, CostThatMovesForBothIsASuspicionOnly) {
  for (const double by : {1.4, 10.0, 0.1}) {
    Machine machine;
    Drift drift = watching(machine);
    machine.cost *= by;
    machine.rival *= by;
    machine.run(drift, 300);
    EXPECT_NE(drift.next(), Next::changed) << by;
    EXPECT_GE(drift.suspicions(), 1U) << by;
    EXPECT_FALSE(drift.suspects()) << by;
    EXPECT_NEAR(drift.before(), machine.cost, 0.1 * machine.cost) << by;
  }
}

TEST(Drift, RivalThatHasBecomeBetterIsAReasonToLook) {
  Machine machine{.cost = 100, .rival = 95};
  Drift drift({});
  machine.run(drift, 1800);
  EXPECT_EQ(drift.next(), Next::changed);
  EXPECT_EQ(drift.reason(), Reason::rival_is_better);
  EXPECT_TRUE(drift.rival_leads());
}

TEST(Drift, WithoutARivalACostTellsNothing) {
  Machine machine;
  Drift drift({.has_rival = false});
  machine.run(drift, 100);
  machine.cost *= 3;
  machine.run(drift, 100);
  EXPECT_EQ(drift.next(), Next::beat);
  EXPECT_EQ(drift.pairs(), 0U);
}

TEST(Drift, NonsenseSaysNothing) {
  Machine machine;
  Drift drift = watching(machine);
  const double infinity = std::numeric_limits<double>::infinity();
  const std::size_t pairs = drift.pairs();
  for (const double cost : {0.0, -1.0, infinity, -infinity, std::nan("")})
    for (int i = 0; i < 1000; ++i) {
      drift.beat(cost, kBeat);
      EXPECT_EQ(drift.next(), Next::beat);
    }
  EXPECT_EQ(drift.pairs(), pairs);
}

TEST(Drift, CostThatNeverMovesAtAllIsNoChange) {
  Machine machine{.noise = 0};
  Drift drift({});
  machine.run(drift, 3600);
  EXPECT_NE(drift.next(), Next::changed);
  EXPECT_EQ(drift.suspicions(), 0U);
}

TEST(Drift, ValueThatJumpsAThousandfoldAllTheTimeIsNoChange) {
  Machine machine{.noise = 7};
  Drift drift({});
  machine.run(drift, 1800);
  EXPECT_NE(drift.next(), Next::changed);
}

TEST(Drift, RivalThatCannotBeHadIsLeftAloneForSomeTime) {
  Drift drift({});
  int asked = 0;
  for (int beat = 0; beat < 4000; ++beat) { // 100 s
    drift.beat(100, kBeat);
    if (drift.next() != Next::pair)
      continue;
    drift.pair({100, std::nan(""), 0, 0}, kPair);
    ++asked;
  }
  EXPECT_GE(asked, 3);
  EXPECT_LE(asked, 35);
  EXPECT_NE(drift.next(), Next::changed);
}

} // namespace
} // namespace sartor
