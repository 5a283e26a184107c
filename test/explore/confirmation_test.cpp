// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/search/confirmation.h"

#include <cmath>
#include <functional>
#include <map>
#include <random>

#include <gtest/gtest.h>

namespace sartor {
namespace {

Configuration numbered(std::size_t i) { return {{"B", i}}; }
std::size_t number_of(const Configuration &configuration) {
  return static_cast<std::size_t>(configuration.find("B")->values.front().integer());
}

struct Course {
  Decision decision;
  double seconds = 0;
  std::map<std::size_t, int> blocks;
};

/// Confirms nominee 1 against the active variant, 0, and others from 2 on; `score` returns the
/// score of a number, `weight` that of its sample.
Course confirm(
    const std::function<double(std::size_t)> &score, std::size_t others = 0,
    Confirmation::Options options = {},
    const std::function<double()> &weight = [] { return 1.0; }) {
  std::vector<Configuration> rest;
  for (std::size_t i = 0; i < others; ++i)
    rest.push_back(numbered(2 + i));
  Confirmation confirmation(numbered(1), numbered(0), rest, options);
  Course run;
  while (const auto asked = confirmation.ask()) {
    const std::size_t number = number_of(*asked);
    ++run.blocks[number];
    run.seconds += 0.02;
    const double scored = score(number);
    confirmation.tell({.configuration = *asked,
                       .score = scored,
                       .failed = !std::isfinite(scored),
                       .weight = weight(),
                       .seconds = 0.02});
  }
  run.decision = confirmation.best();
  return run;
}

TEST(Confirmation, BetterTakesThePlaceAfterTheTimeThatIsWanted) {
  const Course run = confirm([](std::size_t i) { return i == 1 ? 1.2 : 1.0; });
  EXPECT_EQ(run.decision.verdict, Verdict::better);
  EXPECT_EQ(run.decision.configuration, numbered(1));
  EXPECT_GE(run.seconds, Confirmation::Options().fewest_seconds);
  EXPECT_NEAR(run.decision.gain.mean, 0.2, 1e-9);
  EXPECT_EQ(run.decision.runner_up, numbered(0));
}

TEST(Confirmation, EqualIsNoGain) {
  const Course run = confirm([](std::size_t) { return 1.0; });
  EXPECT_NE(run.decision.verdict, Verdict::better);
  EXPECT_EQ(run.decision.configuration, numbered(0));
}

TEST(Confirmation, FastAsARuleAndStandingStillNowAndThenIsFoundOut) {
  int blocks = 0;
  const Course run = confirm([&](std::size_t i) {
    return i == 0 ? 1.0 : ++blocks % 10 == 0 ? 0.1 : 1.06;
  });
  EXPECT_EQ(run.decision.verdict, Verdict::no_gain);
  EXPECT_EQ(run.decision.configuration, numbered(0));
}

TEST(Confirmation, SmallGainIsBelievedLaterThanALargeOne) {
  const auto gain_of = [](double gain) {
    return confirm([=](std::size_t i) { return i == 1 ? 1 + gain : 1.0; }).seconds;
  };
  EXPECT_GT(gain_of(0.04), gain_of(0.15));
}

TEST(Confirmation, OneThatIsFarBehindRunsNowAndThenOnly) {
  const Course run = confirm([](std::size_t i) { return i == 1 ? 5.0 : 1.0; });
  EXPECT_EQ(run.decision.verdict, Verdict::better);
  EXPECT_LT(run.blocks.at(0), run.blocks.at(1) / 4);
}

TEST(Confirmation, OneThatIsSurelyBehindLeavesTheTimeToWhatIsActive) {
  const Course run = confirm([](std::size_t i) { return i == 1 ? 1.05 : i == 0 ? 1.02 : 0.9; }, 1);
  EXPECT_EQ(run.decision.verdict, Verdict::better);
  EXPECT_LT(2 * run.blocks.at(2), run.blocks.at(0));
  EXPECT_EQ(run.blocks.at(0), run.blocks.at(1));
}

// Other programs leave the thread more and less of the processor, for seconds at a time. The work
// of a block depends on the block before, and the cost of each unit of it hardly does.
TEST(Confirmation, LoadOfTheMachineDoesNotHideALargeDifference) {
  int blocks = 0;
  Confirmation::Options options;
  options.error_probability = 0.025;
  options.most_seconds = 6;
  const Course run = confirm(
      [&](std::size_t i) { return (i == 1 ? -3.3 : -4.4) * (1 + 0.1 * std::sin(++blocks / 40.0)); },
      0, options, [&] { return 1 + 0.9 * std::sin(blocks / 40.0); });
  EXPECT_EQ(run.decision.verdict, Verdict::better);
}

// The nominee is better than the active variant, and worse than a third by twice the tolerance.
// Correlated noise makes it look better than the third for a while, and that must seldom be
// believed.
TEST(Confirmation, OneThatLooksBehindForAWhileIsSeldomBelievedToBe) {
  int wrong = 0;
  constexpr int runs = 200;
  for (int run = 0; run < runs; ++run) {
    std::mt19937 random(static_cast<unsigned>(run));
    std::normal_distribution<> noise(0, 0.02);
    std::map<std::size_t, double> drift;
    Confirmation::Options options;
    options.seed = static_cast<std::uint64_t>(run);
    const Course course = confirm(
        [&](std::size_t i) {
          double &own = drift[i];
          own = 0.8 * own + noise(random);
          return (i == 0 ? 0.95 : i == 1 ? 1.0 : 1.02) * (1 + own + noise(random));
        },
        1, options);
    wrong += course.decision.verdict == Verdict::better;
  }
  EXPECT_LE(wrong, runs / 20);
}

TEST(Confirmation, NotBetterThanAnotherIsRefused) {
  const Course run = confirm([](std::size_t i) { return i == 0 ? 1.0 : i == 1 ? 1.1 : 1.3; }, 1);
  EXPECT_EQ(run.decision.verdict, Verdict::no_gain);
}

TEST(Confirmation, NoisyTieEndsUndecidedAndKeepsWhatIsActive) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> noise(0, 0.5);
  const Course run = confirm([&](std::size_t) { return std::exp(noise(random)); });
  EXPECT_EQ(run.decision.verdict, Verdict::undecided);
  EXPECT_EQ(run.decision.configuration, numbered(0));
  EXPECT_NEAR(run.seconds, Confirmation::Options().most_seconds, 0.1);
}

TEST(Confirmation, NomineeThatFailsIsNoGain) {
  const Course run = confirm([](std::size_t i) { return i == 1 ? std::nan("") : 1.0; });
  EXPECT_EQ(run.decision.verdict, Verdict::no_gain);
  EXPECT_EQ(run.decision.configuration, numbered(0));
}

TEST(Confirmation, NegativeScoresAreOrdered) {
  EXPECT_EQ(confirm([](std::size_t i) { return i == 1 ? -5.0 : -9.0; }).decision.verdict,
            Verdict::better);
  EXPECT_NE(confirm([](std::size_t i) { return i == 1 ? -9.0 : -5.0; }).decision.verdict,
            Verdict::better);
}

TEST(Confirmation, BlocksThatLastLongAreFewer) {
  Confirmation confirmation(numbered(1), numbered(0), {}, {});
  int blocks = 0;
  while (const auto asked = confirmation.ask()) {
    confirmation.tell(
        {.configuration = *asked, .score = number_of(*asked) == 1 ? 2.0 : 1.0, .seconds = 2});
    ++blocks;
  }
  EXPECT_EQ(confirmation.best().verdict, Verdict::better);
  EXPECT_LT(blocks, 250);
}

} // namespace
} // namespace sartor
