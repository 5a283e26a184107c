// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <set>
#include <string>

#include <sartor/error.hpp>
#include <sartor/strategies.hpp>

#include "landscapes.h"

namespace sartor {
namespace {

using Parts = std::map<std::string, std::set<std::string>>;

/// Loops with two tile sizes each, whose times can be told apart. Each has a best tile of its own.
class Loops {
public:
  explicit Loops(std::uint64_t seed, int loops = 12) {
    std::mt19937_64 random(seed);
    std::vector<Dimension> dimensions;
    for (int i = 1; i <= loops; ++i) {
      const std::string number = std::to_string(i);
      for (const std::string &label : {"Ti" + number, "Tj" + number}) {
        dimensions.push_back({.label = label, .settings = powers_of_two(0, 7)});
        parts["loop " + number].insert(label);
        best_at_[label] = std::uniform_real_distribution(0.0, 6.0)(random);
      }
    }
    space = SearchSpace(std::move(dimensions));
  }

  [[nodiscard]] double cost_of(const std::string &part, const Configuration &configuration) const {
    double cost = 1;
    for (const std::string &label : parts.at(part)) {
      const Setting *setting = configuration.find(label);
      const double at =
          setting ? std::log2(static_cast<double>(setting->values.front().integer())) : 6;
      cost += 0.05 * (at - best_at_.at(label)) * (at - best_at_.at(label));
    }
    return cost;
  }

  [[nodiscard]] Trial trial(const Configuration &configuration) const {
    Trial trial{.configuration = configuration, .slices = 8};
    double cost = 0;
    for (const auto &[part, labels] : parts) {
      cost += cost_of(part, configuration);
      trial.parts[part] = {.score = 1 / cost_of(part, configuration), .error = 0};
    }
    trial.score = 1 / cost;
    return trial;
  }

  SearchSpace space;
  Parts parts;

private:
  std::map<std::string, double> best_at_;
};

/// The score of what was chosen.
double run(Strategy &strategy, const Loops &loops, std::size_t *trials = nullptr) {
  while (const auto configuration = strategy.ask()) {
    EXPECT_TRUE(loops.space.allows(*configuration)) << *configuration;
    strategy.tell(loops.trial(*configuration));
    if (trials)
      ++*trials;
  }
  return loops.trial(strategy.best().configuration).score;
}

TEST(SeparableSearch, TwentyTrialsFindTheBestOfEachPart) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Loops loops(seed);
    std::size_t trials = 0;
    const double found =
        run(*separable_search(loops.space, loops.parts, {.most_trials = 20, .seed = seed}), loops,
            &trials);
    EXPECT_LE(trials, 20U);
    const double all =
        run(*separable_search(loops.space, loops.parts, {.most_trials = 500, .seed = seed}), loops);
    EXPECT_GE(found, 0.97 * all) << seed;
    const double whole =
        run(*coordinate_search(loops.space, {.most_trials = 20, .seed = seed}), loops);
    EXPECT_GE(found, whole) << seed;
  }
}

TEST(SeparableSearch, WhatIsChosenHasBeenTriedAsAWhole) {
  const Loops loops(1);
  const auto strategy = separable_search(loops.space, loops.parts, {.most_trials = 20});
  std::set<Configuration> tried;
  while (const auto configuration = strategy->ask()) {
    tried.insert(*configuration);
    Trial trial = loops.trial(*configuration);
    if (tried.size() > 2) // parts are not what they say as soon as anything is set
      trial.score /= 100;
    strategy->tell(trial);
  }
  EXPECT_TRUE(tried.contains(strategy->best().configuration));
  EXPECT_GT(strategy->best().estimate.mean, 0.01);
}

TEST(SeparableSearch, SameSeedSameProposals) {
  const Loops loops(3);
  const auto one = separable_search(loops.space, loops.parts, {.most_trials = 30, .seed = 5});
  const auto other = separable_search(loops.space, loops.parts, {.most_trials = 30, .seed = 5});
  while (const auto configuration = one->ask()) {
    EXPECT_EQ(configuration, other->ask());
    one->tell(loops.trial(*configuration));
    other->tell(loops.trial(*configuration));
  }
}

TEST(SeparableSearch, ConstraintsWithinAndAcrossPartsHold) {
  Loops loops(2, 3);
  Constraints constraints;
  constraints.relations = {"Ti1 * Tj1 <= 64", "Ti2 * Ti3 <= 256"};
  constraints.conditions["Tj3"] = {.label = "Tj2", .values = {1, 2, 4}};
  loops.space = SearchSpace(loops.space.dimensions(), constraints);
  std::size_t trials = 0;
  run(*separable_search(loops.space, loops.parts, {.most_trials = 60}), loops, &trials);
  EXPECT_GT(trials, 20U);
}

TEST(SeparableSearch, SmallSpaceComesToAnEnd) {
  const Loops loops(4, 1);
  std::size_t trials = 0;
  run(*separable_search(loops.space, loops.parts, {.most_trials = 1000}), loops, &trials);
  EXPECT_LE(trials, 64U);
  EXPECT_GE(trials, 50U);
}

TEST(SeparableSearch, WithoutScoresOfPartsItGoesByTheWhole) {
  const Loops loops(5, 1);
  const auto strategy = separable_search(loops.space, loops.parts, {.most_trials = 20});
  double first = 0;
  while (const auto configuration = strategy->ask()) {
    Trial trial = loops.trial(*configuration);
    trial.parts.clear();
    first = first == 0 ? trial.score : first;
    strategy->tell(trial);
  }
  EXPECT_GT(strategy->best().estimate.mean, 1.2 * first);
}

TEST(SeparableSearch, FailedTrialsAreNotChosen) {
  const Loops loops(6, 4);
  const auto strategy = separable_search(loops.space, loops.parts, {.most_trials = 30});
  int trials = 0;
  while (const auto configuration = strategy->ask()) {
    Trial trial = loops.trial(*configuration);
    trial.failed = ++trials % 3 == 0;
    strategy->tell(trial);
    EXPECT_FALSE(trial.failed && strategy->best().configuration == *configuration);
  }
  EXPECT_GE(trials, 20);
}

TEST(SeparableSearch, WhatIsInNoPartIsSearchedToo) {
  Loops loops(7, 2);
  loops.parts.erase("loop 2");
  const auto strategy = separable_search(loops.space, loops.parts, {.most_trials = 20});
  std::set<std::string> set;
  while (const auto configuration = strategy->ask()) {
    for (const auto &[label, setting] : *configuration)
      set.insert(label);
    strategy->tell(loops.trial(*configuration));
  }
  EXPECT_EQ(set.size(), 4U);
}

TEST(SeparableSearch, BadPartsAreRefused) {
  const Loops loops(1, 2);
  const auto code_for = [&](const Parts &parts) {
    try {
      (void)separable_search(loops.space, parts);
    } catch (const Error &error) {
      return error.code();
    }
    return ErrorCode{};
  };
  EXPECT_EQ(code_for({{"one", {"Ti9"}}}), ErrorCode::unknown_label);
  EXPECT_EQ(code_for({{"one", {"Ti1"}}, {"two", {"Ti1", "Tj1"}}}), ErrorCode::bad_objective);
}

} // namespace
} // namespace sartor
