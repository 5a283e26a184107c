// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <sartor/strategies.hpp>

#include <algorithm>
#include <gmock/gmock.h>
#include <iterator>
#include <limits>
#include <optional>
#include <set>
#include <string>

#include <sartor/error.hpp>

#include "landscapes.h"

namespace sartor {
namespace {

using testing::HasSubstr;

/// A space of 5 * 4 * 5 * 3 configurations, some of which constraints exclude; typical of what
/// strategies meet.
SearchSpace mixed() {
  Constraints constraints;
  constraints.relations = {"a * b <= 16"};
  constraints.conditions["depth"] = {.label = "mode", .values = {"deep"}};
  constraints.forbidden = {{{"a", 8}, {"mode", "deep"}}};
  return SearchSpace({{.label = "a", .settings = powers_of_two(0, 4)},
                      {.label = "b", .settings = powers_of_two(1, 3)},
                      {.label = "depth", .settings = {1, 2, 3, 4}},
                      {.label = "mode", .settings = {"deep", "flat"}, .is_ordered = false}},
                     constraints);
}

Trial result(const Configuration &configuration, double score) {
  return {.configuration = configuration, .score = score, .error = 0.01, .sample_count = 8};
}

/// Better with larger numbers and with a mode; no two scores are equal.
double score_of(const Configuration &configuration) {
  const auto value = [&](const char *label) {
    const Setting *setting = configuration.find(label);
    return setting ? static_cast<double>(setting->values.front().integer()) : 0.0;
  };
  const Setting *mode = configuration.find("mode");
  return 1 + 0.1 * value("a") + 0.0137 * value("b") + 0.00171 * value("depth") +
         (!mode                      ? 0
          : *mode == Setting("deep") ? 0.51
                                     : 0.31);
}

class EachStrategy : public testing::TestWithParam<const char *> {
protected:
  static std::unique_ptr<Strategy> make(const SearchSpace &space, SearchOptions options = {}) {
    return make_strategy(GetParam(), space, options);
  }
};
INSTANTIATE_TEST_SUITE_P(Strategies, EachStrategy, testing::Values("exhaustive", "random", "local"),
                         [](const auto &strategy) { return std::string(strategy.param); });

TEST_P(EachStrategy, TriesAllOfASmallSpaceOnceAndNothingElse) {
  const SearchSpace space = mixed();
  const auto strategy = make(space, {.most_trials = 10'000});
  std::set<Configuration> tried;
  while (const auto configuration = strategy->ask()) {
    ASSERT_TRUE(space.allows(*configuration)) << *configuration;
    ASSERT_TRUE(tried.insert(*configuration).second) << *configuration;
    strategy->tell(result(*configuration, score_of(*configuration)));
  }
  EXPECT_EQ(tried.size(), space.all().size());
  EXPECT_LT(tried.size(), space.combinations());
}

TEST_P(EachStrategy, AsksForNoMoreTrialsThanItMay) {
  const auto strategy = make(mixed(), {.most_trials = 7});
  std::size_t trials = 0;
  for (; const auto configuration = strategy->ask(); ++trials)
    strategy->tell(result(*configuration, 1));
  EXPECT_EQ(trials, 7U);
  EXPECT_FALSE(strategy->ask());
}

TEST_P(EachStrategy, GivesSeveralBeforeResultsWhichComeInAnyOrder) {
  const auto strategy = make(mixed(), {.most_trials = 40});
  std::vector<Configuration> asked;
  std::set<Configuration> tried;
  std::mt19937_64 random(5);
  for (;;) {
    for (auto configuration = strategy->ask(); configuration; configuration = strategy->ask()) {
      ASSERT_TRUE(tried.insert(*configuration).second) << *configuration;
      asked.push_back(*std::move(configuration));
      if (asked.size() == 6)
        break;
    }
    if (asked.empty())
      break;
    const std::size_t next =
        std::uniform_int_distribution<std::size_t>(0, asked.size() - 1)(random);
    strategy->tell(result(asked[next], score_of(asked[next])));
    asked.erase(asked.begin() + static_cast<std::ptrdiff_t>(next));
  }
  EXPECT_EQ(tried.size(), 40U);
  EXPECT_EQ(strategy->best().configuration,
            *std::ranges::max_element(tried, {}, [](const auto &each) { return score_of(each); }));
}

TEST_P(EachStrategy, IsTheSameForTheSameSeedAndResults) {
  std::vector<Configuration> first, second;
  for (auto *asked : {&first, &second}) {
    const auto strategy = make(mixed(), {.most_trials = 40, .seed = 3});
    while (const auto configuration = strategy->ask()) {
      asked->push_back(*configuration);
      strategy->tell(result(*configuration, score_of(*configuration)));
    }
  }
  EXPECT_EQ(first, second);
}

TEST_P(EachStrategy, FailedTrialsAreWorst) {
  const auto strategy = make(mixed(), {.most_trials = 60});
  while (const auto configuration = strategy->ask()) {
    const bool fails = configuration->find("mode") != nullptr;
    strategy->tell({.configuration = *configuration,
                    .score = fails ? 1000 : score_of(*configuration),
                    .failed = fails});
  }
  EXPECT_EQ(strategy->best().configuration.find("mode"), nullptr);
  EXPECT_GT(strategy->best().estimate.mean, 0);
}

TEST_P(EachStrategy, ScoresThatAreNoNumbersAreFailures) {
  const auto strategy = make(mixed(), {.most_trials = 60});
  for (int i = 0; const auto configuration = strategy->ask(); ++i)
    strategy->tell(
        result(*configuration, i == 20 ? 1.0 : std::numeric_limits<double>::quiet_NaN()));
  EXPECT_EQ(strategy->best().estimate.mean, 1);
}

TEST_P(EachStrategy, WhereAllFailsTheGenericCodeIsBest) {
  const auto strategy = make(mixed(), {.most_trials = 60});
  EXPECT_EQ(strategy->best().configuration, Configuration());
  while (const auto configuration = strategy->ask())
    strategy->tell({.configuration = *configuration, .failed = true});
  EXPECT_EQ(strategy->best().configuration, Configuration());
}

TEST_P(EachStrategy, CopesWithScoresThatAreZeroNegativeHugeOrAllTheSame) {
  for (const auto &score : std::vector<std::function<double(int)>>{
           [](int) { return 0.0; }, [](int i) { return -1.0 - i; }, [](int) { return 3.0; },
           [](int i) { return i % 2 ? 1e300 : 1e-300; }, [](int i) { return i - 10.0; }}) {
    const SearchSpace space = mixed();
    const auto strategy = make(space, {.most_trials = 50});
    int trials = 0;
    for (; const auto configuration = strategy->ask(); ++trials) {
      ASSERT_TRUE(space.allows(*configuration));
      strategy->tell({.configuration = *configuration, .score = score(trials)});
    }
    EXPECT_EQ(trials, 50);
  }
}

TEST_P(EachStrategy, TakesResultsThatItDidNotAskForAndNoneFromOutside) {
  const auto strategy = make(mixed(), {.most_trials = 20});
  strategy->tell(result({{"no", 1}}, 1000));
  strategy->tell(result({{"a", 2}, {"b", 4}}, 100));
  while (const auto configuration = strategy->ask()) {
    EXPECT_NE(*configuration, (Configuration{{"a", 2}, {"b", 4}}));
    strategy->tell(result(*configuration, 1));
  }
  EXPECT_EQ(strategy->best().configuration, (Configuration{{"a", 2}, {"b", 4}}));
}

TEST_P(EachStrategy, TheDecisionHasAnIntervalAndItsSamples) {
  const auto strategy = make(mixed(), {.most_trials = 1});
  strategy->tell(
      {.configuration = strategy->ask().value(), .score = 5, .error = 0.1, .sample_count = 6});
  const Estimate estimate = strategy->best().estimate;
  EXPECT_EQ(estimate.mean, 5);
  EXPECT_NEAR(estimate.low, 4.8, 0.01);
  EXPECT_NEAR(estimate.high, 5.2, 0.01);
  EXPECT_EQ(estimate.windows, 6U);
}

TEST_P(EachStrategy, ASpaceOfNoPointsIsTheGenericCode) {
  const auto strategy = make(SearchSpace());
  const auto configuration = strategy->ask();
  EXPECT_EQ(configuration, Configuration());
  strategy->tell(result(Configuration(), 1));
  EXPECT_FALSE(strategy->ask());
}

TEST(Strategies, TheGenericCodeComesFirstAsTheReference) {
  for (const char *name : {"exhaustive", "local"})
    EXPECT_EQ(make_strategy(name, mixed())->ask(), Configuration()) << name;
}

TEST(Strategies, TrialsOfOneConfigurationAreWeightedByTheirPrecision) {
  const auto strategy = random_search(mixed(), {.most_trials = 1});
  const Configuration configuration = strategy->ask().value();
  strategy->tell({.configuration = configuration, .score = 1, .error = 0.1, .sample_count = 4});
  strategy->tell({.configuration = configuration, .score = 2, .error = 0.2, .sample_count = 1});
  EXPECT_NEAR(strategy->best().estimate.mean, 1.2, 1e-9);
  EXPECT_EQ(strategy->best().estimate.windows, 5U);
}

TEST(Strategies, OneThatWasCutShortIsNotTheBest) {
  const auto strategy = exhaustive_search(mixed());
  strategy->tell({.configuration = *strategy->ask(), .score = 1, .error = 0.1});
  strategy->tell({.configuration = *strategy->ask(), .score = 2, .error = 2, .cut_short = true});
  EXPECT_EQ(strategy->best().estimate.mean, 1);
}

TEST(Strategies, ExhaustiveRefusesASpaceTooLargeToBeListed) {
  try {
    std::ignore = exhaustive_search(tiled_stencil(1).space);
    FAIL();
  } catch (const Error &error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_objective);
  }
}

TEST(Strategies, ARaceIsMadeByNameAsWell) {
  const auto race = make_strategy("race", mixed());
  EXPECT_TRUE(race->ask());
}

TEST(Strategies, AnUnknownNameIsAnErrorThatListsThem) {
  try {
    std::ignore = make_strategy("best", mixed());
    FAIL();
  } catch (const Error &error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_objective);
    EXPECT_EQ(error.failure().subject, "best");
    EXPECT_THAT(error.failure().remedy, HasSubstr("exhaustive, random, race, local"));
  }
}

TEST(Strategies, RemovedNamesSayWhatToUse) {
  for (const char *name : {"coordinate", "bandits"})
    try {
      std::ignore = make_strategy(name, mixed());
      FAIL();
    } catch (const Error &error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_objective);
      EXPECT_THAT(error.failure().remedy, HasSubstr("local"));
    }
}

} // namespace
} // namespace sartor
