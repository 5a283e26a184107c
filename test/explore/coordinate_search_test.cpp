// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <sartor/strategies.hpp>

#include <functional>
#include <gtest/gtest.h>
#include <string>

#include "landscapes.h"

namespace sartor {
namespace {

/// Of a trial: what eight paired slices of a quiet machine leave.
constexpr double noise = 0.02;

using Make = std::function<Landscape(std::uint64_t)>;

double median_of(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

/// What the search settles on ÷ what `other_trials` random trials do; the median over landscapes.
/// Random search is given the same noise in as many trials, hardly any in more.
double against_random(const Make &make, std::size_t trials, std::size_t other_trials,
                      std::size_t at_once = 1) {
  std::vector<double> ratios;
  for (std::uint64_t seed = 1; seed <= 15; ++seed) {
    const Landscape landscape = make(seed);
    const auto search = coordinate_search(landscape.space, {trials, seed});
    const auto other = random_search(landscape.space, {other_trials, seed});
    const double found = searched(landscape, *search, noise, seed, at_once);
    ratios.push_back(
        found / searched(landscape, *other, trials == other_trials ? noise : 1e-3, 100 + seed));
  }
  return median_of(std::move(ratios));
}

Landscape loops(std::uint64_t seed) { return tiled_stencil(seed); }

TEST(CoordinateSearch, FindsGoodTilesOfManyLoopsInFewTrials) {
  EXPECT_LE(against_random(loops, 20, 20), 0.8);
  EXPECT_LE(against_random(loops, 20, 500), 0.85);
}

TEST(CoordinateSearch, IsAsGoodWithFourTrialsUnderWay) {
  EXPECT_LE(against_random(loops, 20, 20, 4), 0.8);
}

TEST(CoordinateSearch, FindsGoodTilesWithinLimitsOnTheirProduct) {
  const auto limited = [](std::uint64_t seed) {
    Landscape landscape = tiled_stencil(seed, 6);
    Constraints constraints;
    for (int i = 1; i <= 6; ++i)
      constraints.relations.push_back("Ti" + std::to_string(i) + " * Tj" + std::to_string(i) +
                                      " <= 4096");
    landscape.space = SearchSpace(landscape.space.dimensions(), constraints);
    return landscape;
  };
  EXPECT_LE(against_random(limited, 20, 20), 0.95);
}

TEST(CoordinateSearch, ClimbsAHillOfDimensionsThatAreNoFamily) {
  EXPECT_LE(against_random([](auto seed) { return hill(seed, 6, 9); }, 40, 40), 0.85);
}

TEST(CoordinateSearch, ClimbsAlongARidge) {
  EXPECT_LE(against_random([](auto seed) { return hill(seed, 4, 9, 2); }, 40, 40), 0.95);
}

TEST(CoordinateSearch, SettingsWithoutAnOrderAreAllNeighbours) {
  EXPECT_LE(against_random([](auto seed) { return alternatives(seed, 5, 6); }, 40, 40), 0.95);
}

TEST(CoordinateSearch, FindsTheTopOfASmallHillWithoutNoise) {
  const Landscape landscape = hill(3, 2, 15);
  const auto search = coordinate_search(landscape.space, {.most_trials = 20});
  double best = std::numeric_limits<double>::infinity();
  for (const Configuration &configuration : landscape.space.all())
    best = std::min(best, landscape.cost(*landscape.space.place_of(configuration)));
  EXPECT_EQ(searched(landscape, *search, 0, 1), best);
}

TEST(CoordinateSearch, StartsAgainElsewhereAndLeavesALocalTop) {
  int found = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Landscape landscape = two_hills();
    const auto search = coordinate_search(landscape.space, {.most_trials = 120, .seed = seed});
    found += searched(landscape, *search, noise, seed) < 0.9;
  }
  EXPECT_GE(found, 14);
}

TEST(CoordinateSearch, SpendsAllItsTrialsOnAPlateau) {
  const Landscape flat{hill(1, 5, 9).space, [](const auto &) { return 1.0; }};
  const auto search = coordinate_search(flat.space, {.most_trials = 200});
  int trials = 0;
  for (; const auto configuration = search->ask(); ++trials)
    search->tell({.configuration = *configuration, .score = 1});
  EXPECT_EQ(trials, 200);
}

TEST(CoordinateSearch, NoiseIsNoReasonToMove) {
  // All are alike: what is proposed stays next to the middle as long as there are neighbours.
  const Landscape flat{hill(1, 6, 7).space, [](const auto &) { return 1.0; }};
  const auto search = coordinate_search(flat.space, {.most_trials = 30});
  std::mt19937_64 random(1);
  int far = 0;
  while (const auto configuration = search->ask()) {
    const auto place = flat.space.place_of(*configuration).value();
    const auto off = std::ranges::count_if(place, [](auto position) { return position != 4; });
    far += off > 1 && !configuration->empty();
    search->tell({.configuration = *configuration,
                  .score = 1 + std::uniform_real_distribution<double>(-0.01, 0.01)(random),
                  .error = 0.02});
  }
  EXPECT_EQ(far, 0);
}

TEST(CoordinateSearch, LooksAtTheMiddleOfAFamilyRightAfterTheGenericCode) {
  const SearchSpace space = tiled_stencil(1).space;
  const auto search = coordinate_search(space, {.most_trials = 20});
  EXPECT_EQ(search->ask(), Configuration());
  EXPECT_EQ(space.place_of(*search->ask()), SearchSpace::Place(24, 4));
}

TEST(CoordinateSearch, GoesOnWhereItsStartFails) {
  const Landscape landscape = hill(1, 3, 9);
  const auto search = coordinate_search(landscape.space, {.most_trials = 40});
  while (const auto configuration = search->ask()) {
    const auto place = landscape.space.place_of(*configuration).value();
    search->tell({.configuration = *configuration,
                  .score = 1 / landscape.cost(place),
                  .failed = place == SearchSpace::Place{5, 5, 5}});
  }
  EXPECT_LT(1 / search->best().estimate.mean, landscape.cost({0, 0, 0}));
}

} // namespace
} // namespace sartor
