// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <sartor/histogram.hpp>

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

#include "tuner/evidence/evidence.h"
#include "tuner/evidence/percentile.h"

namespace sartor {
namespace {

using namespace std::chrono_literals;

std::size_t bucket_of(std::chrono::nanoseconds latency) {
  Histogram histogram;
  histogram.record(latency);
  const auto counts = histogram.counts();
  return static_cast<std::size_t>(std::ranges::find(counts, 1U) - counts.begin());
}

TEST(Histogram, BucketsHaveTheBoundsThatTheyReport) {
  const auto &bounds = Histogram::bounds();
  ASSERT_TRUE(std::ranges::is_sorted(bounds, std::ranges::less_equal()));
  std::mt19937_64 random(1);
  for (int i = 0; i < 2000; ++i) {
    const auto nanoseconds =
        static_cast<std::int64_t>(std::exp2(std::uniform_real_distribution<double>(0, 42)(random)));
    const std::size_t bucket = bucket_of(std::chrono::nanoseconds(nanoseconds));
    const double seconds = 1e-9 * static_cast<double>(nanoseconds);
    ASSERT_LT(bucket, bounds.size());
    EXPECT_LE(seconds, bounds[bucket] * (1 + 1e-12));
    if (bucket > 0) {
      EXPECT_GT(seconds, bounds[bucket - 1]);
      EXPECT_LE(bounds[bucket] - bounds[bucket - 1], std::max(1e-9, seconds / 64) * (1 + 1e-9));
    }
  }
}

TEST(Histogram, WhatIsBeyondItIsInTheLastBucket) {
  EXPECT_EQ(bucket_of(2h), Histogram::bounds().size());
  EXPECT_EQ(bucket_of(0ns), 0U);
  EXPECT_EQ(bucket_of(-5ns), 0U);
}

TEST(Histogram, SecondsMayBeAnyNumber) {
  Histogram histogram;
  for (const double odd : {-1.0, 1e300, std::numeric_limits<double>::infinity(), std::nan("")})
    histogram.record_seconds(odd);
  histogram.record_seconds(0.5);
  const auto counts = histogram.counts();
  EXPECT_EQ(counts.front(), 1U);
  EXPECT_EQ(counts.back(), 2U);
  EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}), 4U);
}

TEST(Histogram, ThreadsLoseNothing) {
  Histogram histogram;
  constexpr std::uint64_t each = 100'000;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 6; ++i)
      threads.emplace_back([&] {
        for (std::uint64_t k = 0; k < each; ++k)
          histogram.record(std::chrono::nanoseconds(100 + k % 7));
      });
  }
  const auto counts = histogram.counts();
  EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}), 6 * each);
}

Requests requests_of(const std::vector<double> &latencies) {
  Histogram histogram;
  const auto before = histogram.counts();
  for (const double latency : latencies)
    histogram.record_seconds(latency);
  return requests_between(before, histogram.counts());
}

std::vector<double> exponential(double mean, std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<double> latencies(count);
  for (double &latency : latencies)
    latency = std::exponential_distribution<double>(1 / mean)(random);
  return latencies;
}

TEST(Percentile, IsTheValueThatSoManyDoNotExceed) {
  auto latencies = exponential(1e-3, 10'000, 1);
  const Requests requests = requests_of(latencies);
  std::ranges::sort(latencies);
  for (const double share : {0.01, 0.5, 0.9, 0.99, 0.999}) {
    const Percentile percentile(Histogram::bounds(), share);
    const double expected = latencies[static_cast<std::size_t>(share * 10'000)];
    EXPECT_NEAR(percentile.value(requests), expected, 0.02 * expected) << share;
    EXPECT_NEAR(percentile.above(requests, percentile.value(requests)), (1 - share) * 10'000, 1e-3);
  }
}

TEST(Percentile, OfAllTogetherIsNotAMeanOfPercentiles) {
  // Every fifth sample has only slow requests: 20 % of all are slow.
  std::vector<Sample> samples;
  for (int i = 0; i < 20; ++i)
    samples.push_back(
        {.score = 0, .requests = requests_of(std::vector<double>(100, i % 5 == 0 ? 1e-2 : 1e-3))});
  const Percentile p99(Histogram::bounds(), 0.99), p50(Histogram::bounds(), 0.5);
  EXPECT_NEAR(1 / p99.total_of(samples).mean, 1e-2, 2e-4);
  EXPECT_NEAR(1 / p50.total_of(samples).mean, 1e-3, 2e-5);
}

TEST(Percentile, OfFewRequestsSaysNothing) {
  const Percentile p99(Histogram::bounds(), 0.99);
  const std::vector<Sample> few{{.score = 0, .requests = requests_of(exponential(1, 400, 1))}};
  EXPECT_TRUE(p99.total_of(few).influences.empty());
  const std::vector<Sample> enough{{.score = 0, .requests = requests_of(exponential(1, 600, 1))}};
  EXPECT_EQ(p99.total_of(enough).influences.size(), 1U);
}

TEST(Percentile, OfFewRequestsHasNoKnownGain) {
  const Objective p99 =
      Objective::percentile_of(Buckets{.bounds = Histogram::bounds(), .counts = {}}, 99);
  const auto gain_of_blocks = [&](std::size_t requests) {
    const std::vector<Sample> blocks(
        20, {.score = 0, .requests = requests_of(exponential(1, requests, 1))});
    return Evidence(p99).gain(blocks, blocks, 0.05);
  };
  EXPECT_TRUE(std::isinf(gain_of_blocks(5).low));
  EXPECT_TRUE(std::isinf(gain_of_blocks(5).high));
  EXPECT_TRUE(std::isfinite(gain_of_blocks(100).low));
  EXPECT_TRUE(std::isfinite(gain_of_blocks(100).high));
}

TEST(Percentile, InfluencesTellItsError) {
  // The error that an estimate from 50 blocks states, against the deviation of 200 estimates.
  const Percentile p99(Histogram::bounds(), 0.99);
  double said = 0, sum = 0, squares = 0;
  constexpr int estimates = 200, blocks = 50;
  for (int i = 0; i < estimates; ++i) {
    std::vector<Sample> samples;
    for (int block = 0; block < blocks; ++block)
      samples.push_back({.score = 0,
                         .requests = requests_of(exponential(
                             1e-3, 200, static_cast<std::uint64_t>(i) * blocks + block))});
    const Total total = p99.total_of(samples);
    double influence = 0, variance = 0;
    for (const double each : total.influences) {
      influence += each;
      variance += each * each / blocks / blocks;
    }
    EXPECT_NEAR(influence, 0, 1e-6 * total.mean);
    said += variance / estimates;
    sum += total.mean;
    squares += total.mean * total.mean;
  }
  const double seen = squares / estimates - sum / estimates * (sum / estimates);
  EXPECT_GT(said, 0.6 * seen);
  EXPECT_LT(said, 1.7 * seen);
}

TEST(Percentile, CommonLimitIsBetweenBoth) {
  const Percentile p90(Histogram::bounds(), 0.9);
  const Requests fast = requests_of(exponential(1e-3, 20'000, 1));
  const Requests slow = requests_of(exponential(2e-3, 20'000, 2));
  const double limit = p90.common_limit(fast, slow, 1);
  EXPECT_GT(limit, p90.value(fast));
  EXPECT_LT(limit, p90.value(slow));
  // With a limit twice as high for the slow one, both have the same share above it.
  const double half = p90.common_limit(fast, slow, 2);
  EXPECT_NEAR(p90.above(fast, half), p90.above(slow, 2 * half), 100);
}

TEST(Percentile, BeyondTheLastBoundIsTheLastBound) {
  const std::vector<double> bounds{1, 2};
  const Percentile p50(bounds, 0.5);
  const Requests beyond{{0, 1}, {2, 9}};
  EXPECT_EQ(p50.value(beyond), 2);
  EXPECT_EQ(p50.above(beyond, 2), 0);
  EXPECT_EQ(p50.above(beyond, 1.5), 9);
}

} // namespace
} // namespace sartor
