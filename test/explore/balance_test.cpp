// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/economy/balance.h"

#include <cmath>
#include <limits>
#include <random>

#include <gmock/gmock.h>

#include "base/text/json.h"

namespace sartor {
namespace {

using namespace std::chrono_literals;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// A quasi-invariant that gains a tenth in a program that makes 1,000 calls a second on one
/// processor.
QuasiInvariantEvidence seen(std::uint64_t invalidations, std::chrono::nanoseconds held_for,
                            std::chrono::nanoseconds making) {
  QuasiInvariantEvidence seen;
  seen.record.invalidated = invalidations;
  seen.record.held = invalidations + 1;
  seen.record.held_for = held_for;
  seen.record.making = making;
  for (int i = 0; i < 100; ++i)
    seen.record.add_invalidation(i % 2 == 0 ? 9us : 11us);
  seen.gain = Estimate{0.1, 0.08, 0.12, 50};
  seen.calls_with = 1100;
  seen.calls_without = 1000;
  seen.processors = 1;
  return seen;
}

Economy balanced(const QuasiInvariantEvidence &seen) {
  Economy economy;
  balance(economy, seen, {});
  return economy;
}

TEST(Balance, IsOfGainTimesCallsAgainstCosts) {
  const Economy economy = balanced(seen(99, 100s, 500ms));
  EXPECT_EQ(economy.worth, Worth::worth_it);
  EXPECT_NEAR(economy.gain_per_call.mean, 1e-3 * (1 - 1 / 1.1), 1e-9);
  EXPECT_NEAR(economy.calls_between_invalidations.mean, 1100 * 100 / 99.0, 1e-6);
  EXPECT_NEAR(economy.benefit.mean,
              economy.gain_per_call.mean * economy.calls_between_invalidations.mean, 1e-9);
  EXPECT_NEAR(economy.specializing, 0.005, 1e-9); // shared by the 100 times that it became valid
  EXPECT_NEAR(economy.invalidating.mean, 10e-6, 1e-9);
  EXPECT_NEAR(economy.cost.mean, 0.00501, 1e-9);
  EXPECT_LT(economy.benefit.low, economy.benefit.mean);
  EXPECT_GT(economy.benefit.high, economy.benefit.mean);
}

TEST(Balance, GoesTheOtherWayWhereMakingTakesMoreThanItBrings) {
  EXPECT_EQ(balanced(seen(99, 100s, 100s)).worth, Worth::not_worth_it);
}

TEST(Balance, IsNotSureWithinTheIntervals) {
  const Economy economy = balanced(seen(99, 100s, 10s));
  EXPECT_EQ(economy.worth, Worth::not_sure);
  EXPECT_EQ(economy.missing, "benefit and cost are too close for the intervals");
}

TEST(Balance, OfAQuasiInvariantThatWasNeverInvalidatedGrowsWithTheTimeThatItWasValid) {
  const Economy early = balanced(seen(0, 100ms, 100ms));
  EXPECT_EQ(early.worth, Worth::not_sure);
  EXPECT_THAT(early.missing, testing::HasSubstr("how often it is invalidated"));
  EXPECT_TRUE(std::isinf(early.benefit.high));
  EXPECT_EQ(balanced(seen(0, 100s, 100ms)).worth, Worth::worth_it);
}

TEST(Balance, CountsGuardingForAsLongAsItHolds) {
  QuasiInvariantEvidence guarded = seen(0, 100s, 1ms);
  guarded.asked = 1e6;
  guarded.asking = 200e-9; // more than the tenth that it gains
  EXPECT_EQ(balanced(guarded).worth, Worth::not_worth_it);
}

TEST(Balance, WithoutAGainKnowsThatACallTakesNoLessThanNothing) {
  QuasiInvariantEvidence unmeasured = seen(1000, 1s, 10s);
  unmeasured.gain.reset();
  EXPECT_EQ(balanced(unmeasured).worth, Worth::not_worth_it);
  QuasiInvariantEvidence seldom = seen(1, 100s, 10ms);
  seldom.gain.reset();
  const Economy economy = balanced(seldom);
  EXPECT_EQ(economy.worth, Worth::not_sure);
  EXPECT_EQ(economy.gain.windows, 0U);
}

TEST(Balance, OfAGainThatMayBeALossIsNotSure) {
  QuasiInvariantEvidence loss = seen(99, 100s, 1ms);
  loss.gain = Estimate{0.01, -0.05, 0.07, 5};
  EXPECT_EQ(balanced(loss).missing, "the interval of the gain is too wide");
  loss.gain = Estimate{-0.1, -0.12, -0.08, 50};
  EXPECT_EQ(balanced(loss).worth, Worth::not_worth_it);
}

TEST(Balance, OfAGainOfWhichNothingIsKnownIsNotSure) {
  QuasiInvariantEvidence unknown = seen(99, 100s, 1ms);
  unknown.gain = Estimate{0, -kInfinity, kInfinity, 50};
  const Economy economy = balanced(unknown);
  EXPECT_EQ(economy.worth, Worth::not_sure);
  EXPECT_EQ(economy.missing, "the interval of the gain is too wide");
}

TEST(Balance, KeepsNoReasonOfAnEarlierLook) {
  Economy economy;
  balance(economy, seen(0, 100ms, 100ms), {});
  EXPECT_NE(economy.missing, "");
  balance(economy, seen(0, 100s, 100ms), {});
  EXPECT_EQ(economy.worth, Worth::worth_it);
  EXPECT_EQ(economy.missing, "");
}

TEST(Balance, IsWrittenAsJsonWithoutEndsThatThereAreNot) {
  const auto reported = parse_json(balanced(seen(0, 1s, 1ms)).json());
  ASSERT_TRUE(reported);
  EXPECT_TRUE((*reported)["benefit"]["high"].is_null());
  EXPECT_TRUE((*reported)["benefit"]["low"].is_number());
}

TEST(SecondsBetweenInvalidations, AreInTheirIntervalAsOftenAsIsSaid) {
  std::mt19937_64 random(1);
  for (const double expected : {0.5, 3.0, 40.0, 1000.0}) {
    std::poisson_distribution<std::uint64_t> invalidations(expected);
    int outside = 0;
    for (int i = 0; i < 2000; ++i) {
      const Estimate between = seconds_between(invalidations(random), 1, 0.1);
      EXPECT_LE(between.low, between.mean);
      EXPECT_GE(between.high, between.mean);
      outside += between.low <= 1 / expected && 1 / expected <= between.high ? 0 : 1;
    }
    EXPECT_LE(outside, 200) << expected;
  }
}

} // namespace
} // namespace sartor
