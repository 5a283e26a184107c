// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/economy/balance.h"

#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include <gmock/gmock.h>

#include "base/text/json.h"
#include "tuner/evidence/evidence.h"
#include "tuner/search/confirmation.h"

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

/// A program on one processor, in simulated time. A quasi-invariant makes it faster by a tenth, but
/// is invalidated twice a second. The compiler then takes half of the processor until the
/// quasi-invariant is valid again, which costs more than it gains.
class InvalidatedProgram {
public:
  explicit InvalidatedProgram(std::uint64_t seed) : random_(seed) {}

  /// Score of a block as an exploration measures it.
  double block(bool with_quasi_invariant) {
    constexpr int steps = 20;
    double work = 0;
    for (int i = 0; i < steps; ++i) {
      now_ += kStep;
      if (is_valid()) {
        valid_ += kStep;
        if (std::bernoulli_distribution(2 * kStep)(random_)) {
          ++invalidated_;
          valid_from_ = now_ + 2 * kMaking;
        }
      }
      const double speed = !is_valid() ? 0.5 : with_quasi_invariant ? 1.1 : 1;
      work += speed * std::normal_distribution(1.0, 0.05)(random_) / steps;
    }
    return work;
  }
  /// A sample in which it is valid all the time.
  Sample sample(bool with_quasi_invariant) {
    for (;;) {
      const bool was_valid = is_valid();
      const std::uint64_t invalidated_before = invalidated_;
      const double score = block(with_quasi_invariant);
      if (was_valid && invalidated_ == invalidated_before)
        return {.score = score};
    }
  }
  [[nodiscard]] QuasiInvariantEvidence evidence() const {
    const auto nanoseconds = [](double seconds) {
      return std::chrono::duration_cast<std::chrono::nanoseconds>(
          std::chrono::duration<double>(seconds));
    };
    return seen(invalidated_, nanoseconds(valid_),
                nanoseconds(kMaking * static_cast<double>(invalidated_ + 1)));
  }

private:
  static constexpr double kStep = 1e-3, kMaking = 0.1;

  [[nodiscard]] bool is_valid() const { return now_ >= valid_from_; }

  std::mt19937_64 random_;
  double now_ = 0, valid_from_ = 0, valid_ = 0;
  std::uint64_t invalidated_ = 0;
};

// This is why a quasi-invariant is no dimension of a search space: the compiler takes time from the
// blocks of both states alike, so that a confirmation sees the gain only.
TEST(Balance, SeesCostsThatOutlastABlock) {
  constexpr std::uint64_t runs = 20;
  std::size_t better = 0, worth_it = 0, not_worth_it = 0;
  for (std::uint64_t run = 1; run <= runs; ++run) {
    const Configuration with, without{{"quasi_invariant", 0}};
    InvalidatedProgram explored(run);
    Confirmation confirmation(with, without, {}, {.error_probability = 0.025, .seed = run});
    while (const auto asked = confirmation.ask())
      confirmation.tell(
          {.configuration = *asked, .score = explored.block(*asked == with), .seconds = 0.02});
    better += confirmation.best().verdict == Verdict::better ? 1 : 0;

    InvalidatedProgram weighed(run);
    std::vector<Sample> ours, theirs;
    for (int i = 0; i < 1000; ++i) {
      ours.push_back(weighed.sample(true));
      theirs.push_back(weighed.sample(false));
    }
    QuasiInvariantEvidence evidence = weighed.evidence();
    evidence.gain = Evidence().gain(ours, theirs, 0.05 / kTerms);
    const Worth worth = balanced(evidence).worth;
    worth_it += worth == Worth::worth_it ? 1 : 0;
    not_worth_it += worth == Worth::not_worth_it ? 1 : 0;
  }
  EXPECT_GT(better, runs / 2);
  EXPECT_EQ(worth_it, 0U);
  EXPECT_GT(not_worth_it, runs / 2);
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
