// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/measure/lag.h"

#include <random>

#include <gtest/gtest.h>

namespace sartor {
namespace {

using namespace std::chrono_literals;

/// Returns the lag learned after the given number of switches between two variants. The first part
/// of a block still has the share `late` of the previous variant.
std::chrono::nanoseconds head_after(int switches, double late, double better) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> noise(1, 0.02);
  Lag lag(std::nullopt);
  for (int i = 0; i < switches; ++i) {
    const double before = i % 2 == 0 ? 1 : better, now = i % 2 == 0 ? better : 1;
    lag.add({.before = before,
             .usual = now,
             .first = (late * before + (1 - late) * now) * noise(random),
             .rest = now * noise(random)});
  }
  return lag.head();
}

TEST(Lag, IsFoundOutWhereFirstPartsAreLikeWhatWasBefore) {
  EXPECT_GT(head_after(100, 0.5, 1.2), 0ns);
}

TEST(Lag, GrowsAsLongAsItIsSeen) {
  EXPECT_GT(head_after(400, 0.5, 1.2), head_after(30, 0.5, 1.2));
  EXPECT_LE(head_after(10'000, 0.5, 1.2), 1s);
}

TEST(Lag, IsNotSeenInNoise) {
  EXPECT_EQ(head_after(10'000, 0, 1.2), 0ns);
  // The variants differ by as little as the noise.
  EXPECT_EQ(head_after(10'000, 0, 1.02), 0ns);
}

TEST(Lag, ThatIsGivenIsNotFoundOut) {
  Lag lag(7ms);
  for (int i = 0; i < 1000; ++i)
    lag.add({.before = 1, .usual = 2, .first = 1, .rest = 2});
  EXPECT_EQ(lag.head(), 7ms);
}

TEST(Lag, OfLoadThatFallsAllTheTimeIsNone) {
  // The first part is always better than the rest, whichever variant was active before.
  Lag lag(std::nullopt);
  for (int i = 0; i < 1000; ++i)
    lag.add({.before = i % 2 == 0 ? 1.0 : 2.0,
             .usual = i % 2 == 0 ? 2.0 : 1.0,
             .first = 1.1,
             .rest = 1});
  EXPECT_EQ(lag.head(), 0ns);
}

} // namespace
} // namespace sartor
