// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/change_detection/cost_change_detector.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>

namespace sartor {
namespace {

using Next = CostChangeDetector::Next;
using Reason = CostChangeDetector::Reason;

constexpr double kSampleLength = 0.025, kSampleTime = 0.002, kPair = 0.008;

/// A machine that adds noise to a program's costs.
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
  /// Does what the detector asks for, until it reports a change or for `most` seconds; returns the
  /// seconds it took.
  double run(CostChangeDetector &drift, double most) {
    const double began = seconds;
    while (drift.next() != Next::changed && seconds - began < most) {
      drift.sample(noisy(cost), kSampleLength);
      seconds += kSampleLength;
      if (drift.next() != Next::pair)
        continue;
      drift.pair({noisy(cost), noisy(rival), kSampleTime, 0}, kPair);
      rival_seconds += kSampleTime;
      seconds += kPair;
    }
    return seconds - began;
  }
};

constexpr double kKnown = 400;

CostChangeDetector watching(Machine &machine) {
  CostChangeDetector drift({});
  machine.run(drift, kKnown);
  return drift;
}

TEST(CostChangeDetector, RivalIsActiveWithinTheBudgetFromTheStart) {
  for (const double rival : {101.0, 120.0, 200.0, 1000.0, 3000.0}) {
    Machine machine{.rival = rival};
    CostChangeDetector drift({});
    for (int second = 1; second <= 600; ++second) {
      machine.run(drift, 1);
      const double excess = std::max(rival / 100 - 1, 1.0);
      // One pair may have exceeded the budget.
      ASSERT_LE(machine.rival_seconds * (rival < 102 ? 0.4 : excess),
                0.005 * machine.seconds + 2 * kSampleTime * excess)
          << rival << " after " << second;
    }
    EXPECT_GT(drift.pairs(), 0U) << rival;
  }
}

TEST(CostChangeDetector, NoiseIsNoChange) {
  Machine machine;
  CostChangeDetector drift({});
  machine.run(drift, 3600);
  EXPECT_EQ(drift.next(), Next::sample);
}

TEST(CostChangeDetector, GroundLostToTheRivalIsAChange) {
  for (const double by : {1.15, 1.3, 2.0, 8.0}) {
    Machine machine;
    CostChangeDetector drift = watching(machine);
    machine.cost *= by;
    EXPECT_LT(machine.run(drift, 60), 10) << by;
    EXPECT_EQ(drift.reason(), Reason::lost_ground);
    EXPECT_EQ(drift.rival_leads(), by > 1.5);
  }
}

TEST(CostChangeDetector, GroundLostBitByBitIsAChange) {
  Machine machine;
  CostChangeDetector drift = watching(machine);
  for (int second = 0; second < 600 && drift.next() != Next::changed; ++second) {
    machine.cost *= std::pow(1.4, 1 / 600.0);
    machine.run(drift, 1);
  }
  EXPECT_EQ(drift.next(), Next::changed);
}

TEST(CostChangeDetector, GroundWonIsNoReasonToLook) {
  Machine machine;
  CostChangeDetector drift = watching(machine);
  machine.cost /= 1.3;
  machine.run(drift, 600);
  EXPECT_NE(drift.next(), Next::changed);
}

TEST(CostChangeDetector, CostThatMovesForBothIsAWarningOnly) {
  for (const double by : {1.4, 10.0, 0.1}) {
    Machine machine;
    CostChangeDetector drift = watching(machine);
    machine.cost *= by;
    machine.rival *= by;
    machine.run(drift, 300);
    EXPECT_NE(drift.next(), Next::changed) << by;
    EXPECT_GE(drift.warnings(), 1U) << by;
    EXPECT_FALSE(drift.is_warned()) << by;
    EXPECT_NEAR(drift.before(), machine.cost, 0.1 * machine.cost) << by;
  }
}

TEST(CostChangeDetector, RivalThatHasBecomeBetterIsAReasonToLook) {
  Machine machine{.cost = 100, .rival = 95};
  CostChangeDetector drift({});
  machine.run(drift, 1800);
  EXPECT_EQ(drift.next(), Next::changed);
  EXPECT_EQ(drift.reason(), Reason::rival_is_better);
  EXPECT_TRUE(drift.rival_leads());
}

TEST(CostChangeDetector, WithoutARivalACostShowsNothing) {
  Machine machine;
  CostChangeDetector drift({.has_rival = false});
  machine.run(drift, 100);
  machine.cost *= 3;
  machine.run(drift, 100);
  EXPECT_EQ(drift.next(), Next::sample);
  EXPECT_EQ(drift.pairs(), 0U);
}

TEST(CostChangeDetector, NonsenseSaysNothing) {
  Machine machine;
  CostChangeDetector drift = watching(machine);
  const double infinity = std::numeric_limits<double>::infinity();
  const std::size_t pairs = drift.pairs();
  for (const double cost : {0.0, -1.0, infinity, -infinity, std::nan("")})
    for (int i = 0; i < 1000; ++i) {
      drift.sample(cost, kSampleLength);
      EXPECT_EQ(drift.next(), Next::sample);
    }
  EXPECT_EQ(drift.pairs(), pairs);
}

TEST(CostChangeDetector, CostThatNeverMovesAtAllIsNoChange) {
  Machine machine{.noise = 0};
  CostChangeDetector drift({});
  machine.run(drift, 3600);
  EXPECT_NE(drift.next(), Next::changed);
  EXPECT_EQ(drift.warnings(), 0U);
}

TEST(CostChangeDetector, ValueThatJumpsAThousandfoldAllTheTimeIsNoChange) {
  Machine machine{.noise = 7};
  CostChangeDetector drift({});
  machine.run(drift, 1800);
  EXPECT_NE(drift.next(), Next::changed);
}

TEST(CostChangeDetector, RivalThatCannotBeHadIsLeftAloneForSomeTime) {
  CostChangeDetector drift({});
  int asked = 0;
  for (int sample = 0; sample < 4000; ++sample) { // 100 s
    drift.sample(100, kSampleLength);
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
