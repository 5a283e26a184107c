// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <sartor/strategies.hpp>

#include <gtest/gtest.h>
#include <limits>

#include "landscapes.h"

namespace sartor {
namespace {

TEST(FactorisedBandits, FindTheBestOfASeparableSpaceInFarFewerTrialsThanThereAreConfigurations) {
  int found = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Landscape landscape = alternatives(seed, 5, 6); // 16,807 configurations
    const auto bandits = factorised_bandits(landscape.space, {.most_trials = 120, .seed = seed});
    found += searched(landscape, *bandits, 0.02, seed) == 1; // the best one costs 1
  }
  EXPECT_GE(found, 16);
}

TEST(FactorisedBandits, BeatChanceInFewTrials) {
  double bandits_cost = 0, random_cost = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Landscape landscape = alternatives(seed, 5, 6);
    bandits_cost +=
        searched(landscape, *factorised_bandits(landscape.space, {40, seed}), 0.02, seed);
    random_cost += searched(landscape, *random_search(landscape.space, {40, seed}), 0.02, seed);
  }
  EXPECT_LT(bandits_cost, 0.9 * random_cost);
}

TEST(FactorisedBandits, AvoidASettingThatFails) {
  const Landscape landscape = alternatives(1, 4, 5);
  const auto bandits = factorised_bandits(landscape.space, {.most_trials = 60});
  int trials = 0, late_failures = 0;
  for (; const auto configuration = bandits->ask(); ++trials) {
    const Setting *first = configuration->find("a");
    const bool fails = first && *first == Setting("s2");
    late_failures += fails && trials >= 30;
    bandits->tell({.configuration = *configuration,
                   .score = 1 / landscape.cost(*landscape.space.place_of(*configuration)),
                   .failed = fails});
  }
  EXPECT_LE(late_failures, 3); // by chance it would be 5
}

} // namespace
} // namespace sartor
