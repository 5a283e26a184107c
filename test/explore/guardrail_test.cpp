// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/measure/guardrail.h"

#include <cmath>
#include <gtest/gtest.h>
#include <memory>
#include <random>
#include <vector>

namespace sartor {
namespace {

const Configuration some{{"B", 1}};

Bound bound_of(Objective::Kind kind, double limit, bool is_most) {
  Objective of;
  of.kind = kind;
  return {std::make_shared<const Objective>(of), limit, is_most};
}

const Bound most_p99 = bound_of(Objective::Kind::percentile, 2e-3, true);
const Bound least_rate = bound_of(Objective::Kind::counter, 1000, false);
const Bound most_cost = bound_of(Objective::Kind::ratio, 10, true);

/// Counts how many of the given number of samples, each by itself, are found to violate a bound.
template <class Draw>
double share_broken(const Bound &bound, std::size_t measured_samples, const Draw &draw) {
  constexpr int runs = 200;
  int broken = 0;
  for (int run = 0; run < runs; ++run) {
    std::mt19937_64 random(static_cast<std::uint64_t>(run));
    Guardrail guardrail(std::span(&bound, 1), 0.05);
    for (std::size_t i = 0; i < measured_samples; ++i) {
      const BoundSample measured = draw(random);
      guardrail.add(some, std::span(&measured, 1));
    }
    broken += guardrail.broken_by(some).has_value();
  }
  return static_cast<double>(broken) / runs;
}

BoundSample share_of(std::mt19937_64 &random, double share, int requests = 40) {
  return {std::binomial_distribution<int>(requests, share)(random) / static_cast<double>(requests),
          static_cast<double>(requests)};
}

TEST(Guardrail, WhatIsAtTheLimitIsHardlyEverSaidToBreakIt) {
  EXPECT_LE(share_broken(most_p99, 300, [](auto &random) { return share_of(random, 0.01); }), 0.05);
  EXPECT_LE(share_broken(most_p99, 300,
                         [](auto &random) { // all of it at once
                           return BoundSample{std::bernoulli_distribution(0.01)(random) ? 1.0 : 0.0,
                                              40};
                         }),
            0.05);
  EXPECT_LE(share_broken(least_rate, 300,
                         [](auto &random) {
                           return BoundSample{std::normal_distribution<double>(1000, 200)(random),
                                              0.002};
                         }),
            0.05);
  EXPECT_LE(share_broken(most_cost, 300,
                         [](auto &random) {
                           return BoundSample{std::exponential_distribution<double>(0.1)(random),
                                              20};
                         }),
            0.05);
}

TEST(Guardrail, WhatIsBeyondTheLimitIsFound) {
  EXPECT_GE(share_broken(most_p99, 100, [](auto &random) { return share_of(random, 0.03); }), 0.95);
  EXPECT_GE(share_broken(least_rate, 100,
                         [](auto &random) {
                           return BoundSample{std::normal_distribution<double>(800, 200)(random),
                                              0.002};
                         }),
            0.95);
  EXPECT_GE(share_broken(most_cost, 100,
                         [](auto &random) {
                           return BoundSample{std::exponential_distribution<double>(0.05)(random),
                                              20};
                         }),
            0.95);
}

TEST(Guardrail, DisasterEndsTheSampleItIsIn) {
  const Guardrail guardrail(std::span(&most_p99, 1), 0.05);
  const BoundSample all_slow{1, 5}, one_slow{0.02, 50}, fine{0, 50};
  EXPECT_TRUE(guardrail.is_broken_by(some, std::span(&all_slow, 1)));
  EXPECT_FALSE(guardrail.is_broken_by(some, std::span(&one_slow, 1)));
  EXPECT_FALSE(guardrail.is_broken_by(some, std::span(&fine, 1)));
}

TEST(Guardrail, ReadingsWithoutRequestsSayNothing) {
  Guardrail guardrail(std::span(&least_rate, 1), 0.05);
  const BoundSample nothing{};
  for (int i = 0; i < 100; ++i)
    guardrail.add(some, std::span(&nothing, 1));
  EXPECT_FALSE(guardrail.broken_by(some));
}

TEST(Limit, SurelyKeptNeedsEvidence) {
  const Limit p99(most_p99), rate(least_rate);
  EXPECT_FALSE(p99.is_surely_kept({}, 0.05));
  // One block in a hundred might be all slow and not have occurred yet.
  EXPECT_FALSE(p99.is_surely_kept(std::vector<BoundSample>(50, {0, 40}), 0.05));
  EXPECT_TRUE(p99.is_surely_kept(std::vector<BoundSample>(600, {0, 40}), 0.05));
  EXPECT_TRUE(rate.is_surely_kept(std::vector<BoundSample>(50, {1500, 0.02}), 0.05));
  EXPECT_FALSE(rate.is_surely_kept(std::vector<BoundSample>(50, {900, 0.02}), 0.05));
}

// A program whose speed drifts: no request of many or of few was too slow.
TEST(Limit, AreKeptHoweverManyRequestsThereWereAtATime) {
  const Limit p99(most_p99);
  std::vector<BoundSample> measured_samples;
  for (int i = 0; i < 1000; ++i)
    measured_samples.push_back({0, 40 + 10 * std::sin(i / 60.0)});
  EXPECT_TRUE(p99.is_surely_kept(measured_samples, 0.05));
}

// With exactly the allowed share of slow requests, repeated checks are seldom wrong.
TEST(Limit, AreSeldomSaidToBeKeptWhereTheyAreNot) {
  const Limit p99(most_p99);
  std::mt19937_64 random(7);
  int wrong = 0;
  for (int run = 0; run < 200; ++run) {
    std::vector<BoundSample> measured_samples;
    bool is_wrong = false;
    for (int i = 0; i < 1500; ++i) {
      const double requests = std::floor(40 + 10 * std::sin(i / 60.0 + run));
      std::binomial_distribution<int> slow(static_cast<int>(requests), 0.01);
      measured_samples.push_back({slow(random) / requests, requests});
      if (i % 100 == 99)
        is_wrong = is_wrong || p99.is_surely_kept(measured_samples, 0.05);
    }
    wrong += is_wrong ? 1 : 0;
  }
  EXPECT_LE(wrong, 10);
}

} // namespace
} // namespace sartor
