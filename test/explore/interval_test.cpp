// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/evidence/interval.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>

#include "tuner/evidence/totals.h"

namespace sartor {
namespace {

TEST(MiddleOf, DoesNotMindABurst) {
  EXPECT_DOUBLE_EQ(middle_of({1, 1, 1, 1, 1, 1, 1, 1000}), 1);
  EXPECT_DOUBLE_EQ(middle_of({2}), 2);
}

TEST(Median, IsTheMiddleSample) {
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({7}), 7);
  EXPECT_EQ(median({4, 1, 3, 2}), 3);
}

TEST(RobustDeviation, AgreesWithTheStandardDeviationForNormalNoise) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> noise(5, 3);
  std::vector<double> samples(100'000);
  for (double &sample : samples)
    sample = noise(random);
  EXPECT_NEAR(robust_deviation(samples), 3, 0.05);
}

TEST(RobustDeviation, OutliersDoNotMoveIt) {
  EXPECT_DOUBLE_EQ(robust_deviation({1, 2, 3, 4, 5}), robust_deviation({1, 2, 3, 4, 5000}));
}

TEST(Advantage, IsThatOfARatioWhereSignsAreTheSame) {
  EXPECT_DOUBLE_EQ(advantage(8, 4), std::log(2));
  EXPECT_DOUBLE_EQ(advantage(-4, -8), std::log(2));
  EXPECT_DOUBLE_EQ(advantage(-8, -4), -std::log(2));
  EXPECT_GT(advantage(0, -1), 0);
  EXPECT_GT(advantage(1, -1), 0);
  EXPECT_LT(advantage(0, 1), 0);
  EXPECT_EQ(advantage(0, 0), 0);
  for (const double score : {3.0, -3.0})
    for (const double reference : {2.0, -2.0})
      if ((score > 0) == (reference > 0)) {
        EXPECT_DOUBLE_EQ(better_by(advantage(score, reference), reference), score);
        EXPECT_DOUBLE_EQ(times_as_good(score, reference), std::exp(advantage(score, reference)));
      }
  EXPECT_EQ(times_as_good(0, 2), 0);
  EXPECT_TRUE(std::isnan(times_as_good(std::nan(""), 2)));
}

/// Sawtooth of eight steps around 1: neighboring values are similar.
std::vector<double> sawtooth(double size) {
  std::vector<double> numbers;
  for (int i = 0; i < 512; ++i)
    numbers.push_back(1 + size * (i % 8 - 3.5) / 3.5);
  return numbers;
}

TEST(IndependentBlock, JoinsNeighborsThatAreAlike) {
  EXPECT_GT(independent_block(sawtooth(0.5)), 1U);
}

TEST(IndependentBlock, TakesHarmlessNoiseForIndependent) {
  EXPECT_EQ(independent_block(sawtooth(0.1)), 1U);
  EXPECT_EQ(independent_block(sawtooth(0)), 1U);
}

} // namespace
} // namespace sartor
