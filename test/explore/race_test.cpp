// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/search/race.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <set>

namespace sartor {
namespace {

Configuration numbered(std::size_t i) { return {{"B", i}}; }

std::size_t number_of(const Configuration &configuration) {
  return static_cast<std::size_t>(configuration.find("B")->values.front().integer());
}

/// Noise of a shared machine on a rate: it drifts, varies, and loses time in bursts that may last
/// several windows.
class Noise {
public:
  Noise(std::uint64_t seed, double white, double burst_probability, double wanders = 0.01)
      : random_(seed), white_(white), burst_(burst_probability), wanders_(wanders) {}

  double factor() {
    cost_change_ = 0.98 * cost_change_ + wanders_ * normal_(random_);
    if (burst_left_ > 0)
      --burst_left_;
    else if (burst_(random_))
      burst_left_ = 1 + static_cast<int>(3 * uniform_(random_));
    const double robbed = burst_left_ > 0 ? uniform_(random_) : 0;
    return std::exp(cost_change_ + white_ * normal_(random_) - robbed);
  }

private:
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
  std::uniform_real_distribution<double> uniform_;
  double white_;
  std::bernoulli_distribution burst_;
  double wanders_;
  double cost_change_ = 0;
  int burst_left_ = 0;
};

struct RaceRun {
  Decision decision;
  std::size_t windows = 0;
  std::map<std::size_t, std::size_t> windows_of;
};

/// Races one candidate per score.
RaceRun run_race(const std::vector<double> &scores, const RaceOptions &options,
                 const std::function<double()> &factor, std::size_t failing = SIZE_MAX) {
  std::vector<Configuration> candidates;
  for (std::size_t i = 0; i < scores.size(); ++i)
    candidates.push_back(numbered(i));
  const auto strategy = race(candidates, options);
  RaceRun run;
  while (const auto asked = strategy->ask()) {
    const std::size_t i = number_of(*asked);
    ++run.windows;
    ++run.windows_of[i];
    strategy->tell(
        {.configuration = *asked, .score = scores[i] * factor(), .failed = i == failing});
  }
  run.decision = strategy->best();
  return run;
}

struct Rates {
  double wrong = 0;   ///< Share of runs that chose another candidate than the first.
  double windows = 0; ///< Mean.
};

Rates simulate(const std::vector<double> &scores, double white, double bursts) {
  constexpr int runs = 200;
  Rates rates;
  for (std::uint64_t seed = 1; seed <= runs; ++seed) {
    Noise noise(seed, white, bursts);
    const RaceRun run = run_race(scores, {.seed = seed}, [&] { return noise.factor(); });
    rates.wrong += number_of(run.decision.configuration) == 0 ? 0 : 1.0 / runs;
    rates.windows += static_cast<double>(run.windows) / runs;
  }
  return rates;
}

const std::vector<double> seven{100, 98, 95, 90, 80, 65, 50};

std::vector<double> half_of_28_three_times_slower() {
  std::vector<double> scores;
  for (int i = 0; i < 14; ++i)
    scores.push_back(100 - 3 * i);
  scores.resize(28, 33);
  return scores;
}

TEST(Race, QuietMachineIsChosenForRightly) { EXPECT_LE(simulate(seven, 0.01, 0).wrong, 0.05); }

TEST(Race, BurstsAndDriftDoNotMislead) { EXPECT_LE(simulate(seven, 0.03, 0.02).wrong, 0.05); }

TEST(Race, ManyCandidatesAreDecidedInFewWindows) {
  const Rates rates = simulate(half_of_28_three_times_slower(), 0.01, 0);
  EXPECT_LE(rates.wrong, 0.05);
  EXPECT_LE(rates.windows, 600);
}

TEST(Race, CandidatesFarBehindLeaveAfterThreeWindows) {
  Noise noise(1, 0.01, 0);
  const RaceRun run = run_race(half_of_28_three_times_slower(), {}, [&] { return noise.factor(); });
  for (std::size_t i = 14; i < 28; ++i)
    EXPECT_EQ(run.windows_of.at(i), 3U) << i;
}

TEST(Race, ClearCaseEndsEarly) { EXPECT_LE(simulate({100, 50}, 0.03, 0).windows, 8); }

TEST(Race, LoudNoiseDoesNotDropTheBestEarly) {
  EXPECT_LE(simulate({100, 70, 70, 70, 70, 70, 70}, 0.3, 0).wrong, 0.1);
}

TEST(Race, EqualCandidatesEndTheRaceBeforeWindowsRunOut) {
  Noise noise(1, 0.002, 0);
  const RaceRun run = run_race({100, 100, 100}, {}, [&] { return noise.factor(); });
  EXPECT_LT(run.windows, 3 * RaceOptions().most_samples);
}

TEST(Race, MostWindowsAreNotExceeded) {
  Noise noise(1, 0.05, 0);
  const RaceRun run =
      run_race({100, 100, 100}, {.most_samples = 7}, [&] { return noise.factor(); });
  EXPECT_EQ(run.windows_of, (std::map<std::size_t, std::size_t>{{0, 7}, {1, 7}, {2, 7}}));
}

TEST(Race, FailedCandidateNeverWins) {
  const RaceRun run = run_race({100, 98, 97}, {}, [] { return 1.0; }, /*failing=*/0);
  EXPECT_EQ(number_of(run.decision.configuration), 1U);
  EXPECT_EQ(run.windows_of.at(0), 1U);
}

TEST(Race, WhenAllFailTheGenericCodeIsBest) {
  const auto strategy = race({numbered(0), numbered(1)});
  while (const auto asked = strategy->ask())
    strategy->tell({.configuration = *asked, .score = 1, .failed = true});
  EXPECT_EQ(strategy->best().configuration, Configuration());
  EXPECT_EQ(strategy->best().estimate.windows, 0U);
}

TEST(Race, OneCandidateIsMeasuredOnce) {
  const RaceRun run = run_race({5}, {}, [] { return 1.0; });
  EXPECT_EQ(run.windows, 1U);
  EXPECT_DOUBLE_EQ(run.decision.estimate.mean, 5);
}

TEST(Race, RepeatedCandidateRunsOnce) {
  const auto strategy = race({numbered(0), numbered(0)});
  strategy->tell({*strategy->ask(), 5});
  EXPECT_EQ(strategy->ask(), std::nullopt);
}

TEST(Race, BeforeTheFirstTrialTheGenericCodeIsBest) {
  EXPECT_EQ(race({numbered(0), numbered(1)})->best().configuration, Configuration());
}

TEST(Race, InTheFirstRoundTheBestSoFarIsBest) {
  const auto strategy = race({numbered(0), numbered(1), numbered(2)});
  const Configuration first = *strategy->ask();
  strategy->tell({first, 5});
  const Configuration second = *strategy->ask();
  strategy->tell({second, 7});
  EXPECT_EQ(strategy->best().configuration, second);
}

TEST(Race, SeveralAsksGiveEachCandidateOfTheRoundOnce) {
  const auto strategy = race({numbered(0), numbered(1), numbered(2)});
  std::set<std::size_t> asked;
  for (int i = 0; i < 3; ++i)
    asked.insert(number_of(*strategy->ask()));
  EXPECT_EQ(asked, (std::set<std::size_t>{0, 1, 2}));
  EXPECT_EQ(strategy->ask(), std::nullopt);
}

TEST(Race, TellsMayComeInAnyOrder) {
  const auto strategy = race({numbered(0), numbered(1), numbered(2)});
  for (std::vector<Configuration> round;; round.clear()) {
    while (auto next = strategy->ask())
      round.push_back(*next);
    if (round.empty())
      break;
    std::ranges::sort(round);
    for (const Configuration &each : round)
      strategy->tell({each, 100.0 - 10 * static_cast<double>(number_of(each))});
  }
  EXPECT_EQ(number_of(strategy->best().configuration), 0U);
}

TEST(Race, AsksForSingleSamples) { EXPECT_EQ(race({numbered(0)})->sample_count(), 1U); }

TEST(Race, WhatWasNotAskedForIsNotHeard) {
  const auto strategy = race({numbered(0), numbered(1)});
  strategy->tell({numbered(0), 5});
  EXPECT_EQ(strategy->best().estimate.windows, 0U);
}

TEST(Race, SeedSetsTheOrder) {
  const auto order = [](std::uint64_t seed) {
    std::vector<Configuration> candidates;
    for (std::size_t i = 0; i < 20; ++i)
      candidates.push_back(numbered(i));
    const auto strategy = race(candidates, {.seed = seed});
    std::vector<std::size_t> asked;
    for (std::size_t i = 0; i < 20; ++i) {
      asked.push_back(number_of(*strategy->ask()));
      strategy->tell({numbered(asked.back()), 1});
    }
    return asked;
  };
  EXPECT_EQ(order(1), order(1));
  EXPECT_NE(order(1), order(2));
}

TEST(Race, ScoresOfZeroLose) {
  EXPECT_EQ(number_of(run_race({0, 3, 0}, {}, [] { return 1.0; }).decision.configuration), 1U);
}

TEST(Race, NegativeScoresAreOrderedToo) {
  EXPECT_EQ(number_of(run_race({-9, -3, -5}, {}, [] { return 1.0; }).decision.configuration), 1U);
}

TEST(Race, AllZeroScoresEndTheRace) {
  EXPECT_LE(run_race({0, 0, 0}, {}, [] { return 1.0; }).windows, 160U);
}

TEST(Race, ScoreThatIsNoNumberIsAFailure) {
  const RaceRun run = run_race({std::nan(""), 3, 2}, {}, [] { return 1.0; });
  EXPECT_EQ(number_of(run.decision.configuration), 1U);
}

TEST(Race, EstimateEnclosesTheWinnersScore) {
  Noise noise(3, 0.02, 0, 0);
  const RaceRun run = run_race({100, 95}, {}, [&] { return noise.factor(); });
  const Estimate &estimate = run.decision.estimate;
  EXPECT_LE(estimate.low, 100);
  EXPECT_GE(estimate.high, 100);
  EXPECT_GT(estimate.mean, estimate.low);
  EXPECT_LT(estimate.mean, estimate.high);
  EXPECT_EQ(estimate.windows, run.windows_of.at(0));
}

TEST(Race, KnowsWhoIsSurelyBetterThanOneThatLeftAtOnce) {
  const Configuration slow, fast{{"B", 1}}, same{{"B", 2}};
  Race race({slow, fast, same}, {});
  while (const auto next = race.ask())
    race.tell({.configuration = *next, .score = *next == slow ? 1.0 : 5.0});
  EXPECT_EQ(race.best_ahead_of(slow), fast);
  EXPECT_FALSE(race.best_ahead_of(fast)) << "of equals nobody is ahead";
}

} // namespace
} // namespace sartor
