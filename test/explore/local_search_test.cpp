// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <sartor/strategies.hpp>

#include <functional>
#include <gtest/gtest.h>
#include <limits>
#include <string>

#include "landscapes.h"

namespace sartor {
namespace {

/// Noise of a trial: the error of eight paired samples on a quiet machine.
constexpr double noise = 0.02;

using Make = std::function<Landscape(std::uint64_t)>;

/// True cost chosen by the search ÷ that of a random search with the same number of trials; the
/// median over landscapes.
double against_random(const Make &make, std::size_t trials, std::size_t at_once = 1) {
  std::vector<double> ratios;
  for (std::uint64_t seed = 1; seed <= 15; ++seed) {
    const Landscape landscape = make(seed);
    const auto search = local_search(landscape.space, {trials, seed});
    const auto other = random_search(landscape.space, {trials, seed});
    ratios.push_back(searched(landscape, *search, noise, seed, at_once) /
                     searched(landscape, *other, noise, 100 + seed));
  }
  std::ranges::sort(ratios);
  return ratios[ratios.size() / 2];
}

TEST(LocalSearch, FindsGoodTilesOfManyLoops) {
  const auto loops = [](std::uint64_t seed) { return tiled_stencil(seed); };
  EXPECT_LE(against_random(loops, 100), 0.9);
  EXPECT_LE(against_random(loops, 100, 4), 0.9) << "with four trials under way";
}

TEST(LocalSearch, FindsGoodTilesWithinLimitsOnTheirProduct) {
  const auto limited = [](std::uint64_t seed) {
    Landscape landscape = tiled_stencil(seed, 6);
    Constraints constraints;
    for (int i = 1; i <= 6; ++i)
      constraints.relations.push_back("Ti" + std::to_string(i) + " * Tj" + std::to_string(i) +
                                      " <= 4096");
    landscape.space = SearchSpace(landscape.space.dimensions(), constraints);
    return landscape;
  };
  EXPECT_LE(against_random(limited, 100), 0.98);
}

TEST(LocalSearch, ClimbsAHill) {
  EXPECT_LE(against_random([](auto seed) { return hill(seed, 6, 9); }, 60), 0.9);
}

TEST(LocalSearch, ClimbsAlongARidge) {
  EXPECT_LE(against_random([](auto seed) { return hill(seed, 4, 9, 2); }, 60), 0.98);
}

TEST(LocalSearch, SettingsWithoutAnOrderAreAllNeighbours) {
  EXPECT_LE(against_random([](auto seed) { return alternatives(seed, 5, 6); }, 60), 0.95);
}

TEST(LocalSearch, FindsTheTopOfASmallHillWithoutNoise) {
  const Landscape landscape = hill(3, 2, 15);
  const auto search = local_search(landscape.space, {.most_trials = 60});
  double best = std::numeric_limits<double>::infinity();
  for (const Configuration &configuration : landscape.space.all())
    best = std::min(best, landscape.cost(*landscape.space.coordinates_of(configuration)));
  EXPECT_EQ(searched(landscape, *search, 0, 1), best);
}

TEST(LocalSearch, StartsAgainAndLeavesALocalTop) {
  int found = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Landscape landscape = two_hills();
    const auto search = local_search(landscape.space, {.most_trials = 120, .seed = seed});
    found += searched(landscape, *search, noise, seed) < 0.9;
  }
  EXPECT_GE(found, 14);
}

TEST(LocalSearch, SpendsAllItsTrialsOnAPlateau) {
  const Landscape flat{hill(1, 5, 9).space, [](const auto &) { return 1.0; }};
  const auto search = local_search(flat.space, {.most_trials = 200});
  int trials = 0;
  for (; const auto configuration = search->ask(); ++trials)
    search->tell({.configuration = *configuration, .score = 1});
  EXPECT_EQ(trials, 200);
}

TEST(LocalSearch, NoiseIsNoReasonToMove) {
  // All costs are equal, so proposals stay next to the generic code as long as there are neighbors.
  const Landscape flat{hill(1, 6, 7).space, [](const auto &) { return 1.0; }};
  const auto search = local_search(flat.space, {.most_trials = 20});
  std::mt19937_64 random(1);
  int far = -1; // the middle is not counted
  while (const auto configuration = search->ask()) {
    const auto coordinates = flat.space.coordinates_of(*configuration).value();
    far += std::ranges::count_if(coordinates, [](auto setting) { return setting != 0; }) > 1;
    search->tell({.configuration = *configuration,
                  .score = 1 + std::uniform_real_distribution<double>(-0.01, 0.01)(random),
                  .error = 0.02});
  }
  EXPECT_LE(far, 0);
}

TEST(LocalSearch, GoesOnWhereItsStartFails) {
  const Landscape landscape = hill(1, 3, 9);
  const auto search = local_search(landscape.space, {.most_trials = 60});
  while (const auto configuration = search->ask()) {
    const auto coordinates = landscape.space.coordinates_of(*configuration).value();
    search->tell({.configuration = *configuration,
                  .score = 1 / landscape.cost(coordinates),
                  .failed = configuration->empty()});
  }
  EXPECT_LT(1 / search->best().estimate.mean, landscape.cost({0, 0, 0}));
}

} // namespace
} // namespace sartor
