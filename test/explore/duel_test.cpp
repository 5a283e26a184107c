// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <random>

#include <gmock/gmock.h>

#include "tuner/programs/duel.h"

namespace {

using sartor::Duel;
using Verdict = Duel::Verdict;

/// Simulated durations of runs: the challenger does `speed` times as much in the same time, and
/// some runs are interrupted for long.
Duel fought(std::uint64_t seed, double speed, double noise = 0.05) {
  Duel duel(seed);
  std::mt19937_64 random(seed);
  std::lognormal_distribution<double> around(0, noise);
  std::uniform_int_distribution<int> often(0, 99);
  while (duel.verdict() == Verdict::open) {
    double time = 20'000 * around(random);
    if (duel.turn() == Duel::Side::challenger)
      time /= speed;
    if (often(random) == 0)
      time += 5e6;
    duel.add(duel.window(), 1, static_cast<std::uint64_t>(time));
  }
  return duel;
}

int times_found_faster(double speed) {
  int faster = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed)
    faster += fought(seed, speed).verdict() == Verdict::faster ? 1 : 0;
  return faster;
}

TEST(Duel, FindsWhatIsFaster) { EXPECT_EQ(times_found_faster(1.5), 100); }

TEST(Duel, FindsWhatIsALittleFaster) { EXPECT_GE(times_found_faster(1.05), 95); }

TEST(Duel, LeavesWhatIsSlower) { EXPECT_LE(times_found_faster(0.95), 5); }

TEST(Duel, KeepsWhatIsActiveWhereThereIsNoDifference) { EXPECT_LE(times_found_faster(1), 5); }

TEST(Duel, IsShortWhereTheDifferenceIsLarge) {
  EXPECT_LT(fought(1, 3).gain().windows, 20U);
  EXPECT_LT(fought(1, 1. / 3).gain().windows, 20U);
}

TEST(Duel, SaysByHowMuch) {
  const Duel duel = fought(2, 1.3);
  const auto gain = duel.gain();
  EXPECT_LT(gain.low, 0.3);
  EXPECT_GT(gain.high, 0.3);
  EXPECT_GT(gain.low, 0);
}

TEST(Duel, KnowsNothingBeforeIt) {
  const auto gain = Duel(1).gain();
  EXPECT_EQ(gain.windows, 0U);
  EXPECT_EQ(gain.low, -1);
}

TEST(Duel, TakesNoRunsOfWindowsThatAreOver) {
  Duel duel(3);
  const auto window = duel.window();
  duel.add(window, 1, 1'000'000);
  EXPECT_NE(duel.window(), window);
  const auto next = duel.window();
  duel.add(window, 1, 1'000'000);
  EXPECT_EQ(duel.window(), next);
}

TEST(Duel, TakesNoRunsThatDidNothing) {
  Duel duel(4);
  const auto window = duel.window();
  duel.add(window, 0, 1'000'000);
  duel.add(window, 1, 0);
  EXPECT_EQ(duel.window(), window);
}

TEST(Duel, GivesBothTheirTurnsInBothOrders) {
  Duel duel(5);
  int first_is_challenger = 0;
  int pair = 0;
  for (; pair < 200 && duel.verdict() == Verdict::open; ++pair) {
    const auto first = duel.turn();
    first_is_challenger += first == Duel::Side::challenger ? 1 : 0;
    duel.add(duel.window(), 1, 60'000 + static_cast<std::uint64_t>(pair * 7919 % 5000));
    EXPECT_NE(duel.turn(), first);
    duel.add(duel.window(), 1, 60'000 + static_cast<std::uint64_t>(pair * 104729 % 5000));
  }
  EXPECT_GT(4 * first_is_challenger, pair);
  EXPECT_LT(4 * first_is_challenger, 3 * pair);
}

} // namespace
