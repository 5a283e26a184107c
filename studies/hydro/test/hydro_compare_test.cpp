// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The study's intervals against noise of known size.
#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "compare.h"

namespace hydro {
namespace {

/// The standard deviations of the logarithms of ratios.
struct Noise {
  double searches; ///< Between searches.
  double rounds;   ///< Between rounds; the same for all searches.
  double readings; ///< Between samples.
};

/// The share of studies of 6 searches and 25 rounds whose interval contains the true ratio, 1.
double coverage(const Noise &noise) {
  constexpr int studies = 400;
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  int held = 0;
  for (int study = 0; study < studies; ++study) {
    std::vector<double> rounds(25);
    for (double &round : rounds)
      round = noise.rounds * normal(random);
    std::vector<sartor::bench::Samples> ratios(6);
    for (auto &search : ratios) {
      const double own = noise.searches * normal(random);
      for (const double round : rounds)
        search.push_back(std::exp(own + round + noise.readings * normal(random)));
    }
    const sartor::bench::Interval interval = over_searches(ratios);
    held += interval.low <= 1 && 1 <= interval.high ? 1 : 0;
  }
  return static_cast<double>(held) / studies;
}

TEST(OverSearches, holds_the_truth_in_95_of_100_studies) {
  EXPECT_GE(coverage({.searches = 0.05, .rounds = 0.01, .readings = 0.02}), 0.93);
  EXPECT_GE(coverage({.searches = 0.001, .rounds = 0.05, .readings = 0.02}), 0.93);
  EXPECT_GE(coverage({.searches = 0.02, .rounds = 0.02, .readings = 0.1}), 0.93);
}

TEST(OverSearches, grows_with_what_differs_between_searches) {
  const sartor::bench::Samples steady(25, 1.0);
  const auto narrow = over_searches({steady, steady, steady});
  EXPECT_DOUBLE_EQ(narrow.low, 1);
  EXPECT_DOUBLE_EQ(narrow.high, 1);
  const auto wide = over_searches({steady, sartor::bench::Samples(25, 1.2), steady});
  EXPECT_LT(wide.low, 1);
  EXPECT_GT(wide.high, 1.2);
}

} // namespace
} // namespace hydro
