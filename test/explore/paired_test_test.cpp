// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/evidence/paired_test.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <vector>

#include "tuner/evidence/looks.h"

namespace sartor {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double radius(const std::vector<double> &samples, double error_probability) {
  const Estimate estimate = always_valid_mean(samples).estimate(error_probability);
  return (estimate.high - estimate.low) / 2;
}

TEST(AlwaysValidMean, FewSamplesSayNothing) {
  const PairedTest test = always_valid_mean(std::vector<double>{1, 2, 3});
  EXPECT_DOUBLE_EQ(test.mean(), 2);
  EXPECT_EQ(test.at_least(0.01), -kInfinity);
  EXPECT_EQ(test.at_most(0.01), kInfinity);
  EXPECT_EQ(always_valid_mean(std::vector<double>{1}).at_most(0.01), kInfinity);
}

TEST(AlwaysValidMean, SamplesWithoutNoiseHaveNoRadius) {
  const std::vector<double> samples(10, 4.0);
  EXPECT_DOUBLE_EQ(always_valid_mean(samples).mean(), 4);
  EXPECT_NEAR(radius(samples, 0.01), 0, 1e-9);
}

TEST(AlwaysValidMean, RadiusShrinksWithSamplesAndGrowsWithCertainty) {
  std::vector<double> samples;
  for (int i = 0; i < 20; ++i)
    samples.push_back(i % 2);
  const double few = radius(samples, 0.05);
  EXPECT_GT(radius(samples, 0.001), few);
  const std::vector<double> again = samples;
  samples.insert(samples.end(), again.begin(), again.end());
  EXPECT_LT(radius(samples, 0.05), few);
}

TEST(AlwaysValidMean, OneBurstInTenWindowsDoesNotMoveTheMean) {
  std::vector<double> samples{1, 1.1, 0.9, 1, 1.1, 0.9, 1, 1.1, 0.9, 50};
  EXPECT_NEAR(always_valid_mean(samples).mean(), 1, 0.1);
  EXPECT_LT(radius(samples, 0.05), 1);
}

/// The share of runs in which the true mean, 0, was ever outside the interval.
double share_of_misses(double burst_probability) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> noise;
  std::bernoulli_distribution burst(burst_probability);
  std::bernoulli_distribution side(0.5);
  constexpr int runs = 1000;
  int misses = 0;
  for (int run = 0; run < runs; ++run) {
    std::vector<double> samples;
    bool missed = false;
    while (samples.size() < 60 && !missed) {
      samples.push_back(noise(random) + (burst(random) ? (side(random) ? 20 : -20) : 0));
      const PairedTest test = always_valid_mean(samples);
      missed = test.at_least(0.05) > 0 || test.at_most(0.05) < 0;
    }
    misses += missed;
  }
  return static_cast<double>(misses) / runs;
}

TEST(AlwaysValidMean, LookingAfterEverySampleKeepsTheErrorProbability) {
  EXPECT_LE(share_of_misses(0), 0.05);
}

TEST(AlwaysValidMean, BurstsKeepTheErrorProbability) { EXPECT_LE(share_of_misses(0.05), 0.05); }

/// Totals of 40 samples, in each of which both are slowed down by the same factor.
struct Both {
  Total ours, theirs;
};

Both slowed_down_alike(double ours, double theirs) {
  std::vector<Sample> our_samples, their_samples;
  for (int i = 0; i < 40; ++i) {
    const double slowdown = 1 + 0.5 * (i * 7 % 5);
    our_samples.push_back({ours / slowdown});
    their_samples.push_back({theirs / slowdown});
  }
  return {total_of(our_samples), total_of(their_samples)};
}

TEST(PairedTest, SlowdownOfBothCancels) {
  const auto [ours, theirs] = slowed_down_alike(110, 100);
  const PairedTest test(ours, theirs);
  EXPECT_NEAR(test.mean(), 0.1, 1e-9);
  EXPECT_NEAR(test.at_least(0.01), 0.1, 1e-6);
  EXPECT_NEAR(test.at_most(0.01), 0.1, 1e-6);
  EXPECT_EQ(test.estimate(0.01).windows, 40U);
}

TEST(PairedTest, LowerCostIsAhead) {
  const auto [ours, theirs] = slowed_down_alike(-100, -110);
  EXPECT_NEAR(PairedTest(ours, theirs).mean(), 0.1, 1e-9);
}

TEST(PairedTest, NothingIsKnownWithoutInfluences) {
  const PairedTest test(Total{.mean = 2}, Total{.mean = 1});
  EXPECT_EQ(test.at_least(0.05), -kInfinity);
  EXPECT_EQ(test.at_most(0.05), kInfinity);
  EXPECT_EQ(test.standard_error(), 0);
  EXPECT_EQ(test.estimate(0.05).windows, 0U);
}

TEST(PairedTest, KnownNoiseStandsForPairs) {
  const PairedTest test(0, 1, 2, 1);
  EXPECT_EQ(test.at_most(0.01), kInfinity); // two pairs alone
  EXPECT_LT(test.at_most(0.01, {.variance = 1, .freedom = 30}), kInfinity);
  EXPECT_GT(test.at_most(0.01, {.variance = 4, .freedom = 30}),
            test.at_most(0.01, {.variance = 1, .freedom = 30}));
}

TEST(PairedTest, NoiseHasALowerLimit) {
  const PairedTest exact(0, 0, 10, 9);
  EXPECT_EQ(exact.at_most(0.05), 0);
  EXPECT_GT(exact.at_most(0.05, {.least_deviation = 0.001}), 0);
}

TEST(Looks, BecomeRarer) {
  Looks looks(4);
  std::vector<std::size_t> at;
  for (std::size_t samples = 1; samples <= 40; ++samples)
    if (looks.is_due(samples))
      at.push_back(samples);
  EXPECT_EQ(at.front(), 4U);
  EXPECT_EQ(at[1], 5U);
  EXPECT_EQ(at.back(), 40U);
  EXPECT_EQ(at.size(), 33U);
}

} // namespace
} // namespace sartor
