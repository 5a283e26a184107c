// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/persistence/best_known_cache.h"

#include <gtest/gtest.h>
#include <initializer_list>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "tuner/change_detection/back_off.h"
#include "tuner/change_detection/mix.h"

namespace sartor {
namespace {

using namespace std::chrono_literals;

Signature seen(std::initializer_list<std::uint64_t> counts, std::string name = "") {
  PointProfile point;
  std::uint64_t value = 0;
  for (const std::uint64_t count : counts) {
    point.entries.push_back({.inputs = {Value(value++)}, .count = count});
    point.count += count;
  }
  return {std::move(name), Shape::between({}, Profile("", {{"kind", point}}))};
}

Signature named(std::string name) { return {std::move(name), {}}; }

const Configuration kOne{{"B", 1}};
const Configuration kTwo{{"B", 2}};

TEST(Signature, ThatSaysNothingIsNotKnown) {
  EXPECT_FALSE(named("").is_known());
  EXPECT_FALSE(seen({5, 5}).is_known());
  EXPECT_TRUE(named("day").is_known());
  EXPECT_TRUE(seen({1000, 10}).is_known());
}

TEST(Signature, SameMixIsTheSameWorkload) {
  EXPECT_LT(distance(seen({600, 400}), seen({6100, 3900})).value(), 0.02);
}

TEST(Signature, AnotherMixIsAnotherWorkload) {
  EXPECT_EQ(distance(seen({600, 400}), seen({300, 700})), std::nullopt);
}

TEST(Signature, DifferenceThatMayBeChanceIsNone) {
  EXPECT_GT(distance(seen({12, 8}), seen({8, 12})).value(), 0.15);
}

TEST(Signature, AnotherNameIsAnotherWorkload) {
  EXPECT_EQ(distance(seen({600, 400}, "day"), seen({600, 400}, "night")), std::nullopt);
}

TEST(Signature, NameAloneWillDoWhereNothingIsSeen) {
  EXPECT_EQ(distance(seen({600, 400}, "day"), named("day")), 0);
}

TEST(Signature, NameAloneWillDoWhereTooLittleIsSeen) {
  EXPECT_EQ(distance(seen({3, 2}, "day"), seen({1, 4}, "day")), 0);
  EXPECT_EQ(distance(seen({600, 400}, "day"), seen({1, 4}, "day")), 0);
  EXPECT_EQ(distance(seen({3, 2}), seen({1, 4})), std::nullopt);
}

/// Sessions of ten passes, 500 passes a window, `points` points: compares a minute of change
/// detection with one window of the same workload. Returns the share that is recognized.
double known_again(std::size_t points) {
  std::mt19937_64 random(3); // NOLINT(*-random-generator-seed): runs can be repeated
  std::discrete_distribution<std::size_t> kind{30, 22, 15, 12, 8, 6, 4, 3};
  const auto window = [&] {
    Profile::Points seen;
    for (std::size_t i = 0; i < points; ++i) {
      PointProfile point{.count = 500};
      std::vector<std::uint64_t> counts(8);
      for (int session = 0; session < 50; ++session)
        counts[kind(random)] += 10;
      for (std::size_t value = 0; value < counts.size(); ++value)
        point.entries.push_back({.inputs = {Value(value)}, .count = counts[value]});
      seen.emplace("point " + std::to_string(i), point);
    }
    return Shape::between({}, Profile("", seen));
  };
  int known = 0;
  constexpr int times = 100;
  for (int i = 0; i < times; ++i) {
    Mix mix;
    for (int before = 0; before < 30; ++before)
      mix.changed(window());
    BestKnownCache memory(8);
    memory.remember({"", mix.usual()}, kOne);
    known += memory.recall({"", mix.independent(window())}) == kOne ? 1 : 0;
  }
  return known / static_cast<double>(times);
}

TEST(BestKnownCache, KnowsAWorkloadThatComesInSessionsAgain) {
  EXPECT_GE(known_again(1), 0.97);
  EXPECT_GE(known_again(5), 0.97);
  EXPECT_GE(known_again(20), 0.97);
}

TEST(BestKnownCache, RecallsTheBestKnownConfigurationOfTheSameWorkload) {
  BestKnownCache memory(8);
  memory.remember(seen({600, 400}), kOne);
  memory.remember(seen({100, 900}), kTwo);
  EXPECT_EQ(memory.recall(seen({590, 410})), kOne);
  EXPECT_EQ(memory.recall(seen({90, 910})), kTwo);
}

TEST(BestKnownCache, UnknownWorkloadHasNoBestKnown) {
  BestKnownCache memory(8);
  EXPECT_EQ(memory.recall(seen({600, 400})), std::nullopt);
  memory.remember(seen({600, 400}), kOne);
  EXPECT_EQ(memory.recall(seen({0, 900})), std::nullopt);
}

TEST(BestKnownCache, TakesTheNearest) {
  BestKnownCache memory(8);
  memory.remember(seen({600, 400}), kOne);
  memory.remember(seen({350, 650}), kTwo);
  EXPECT_EQ(memory.recall(seen({500, 500})), kOne);
  EXPECT_EQ(memory.recall(seen({450, 550})), kTwo);
}

TEST(BestKnownCache, NewBestKnownReplacesTheOldOne) {
  BestKnownCache memory(8);
  memory.remember(named("day"), kOne);
  memory.remember(named("day"), kTwo);
  EXPECT_EQ(memory.size(), 1U);
  EXPECT_EQ(memory.recall(named("day")), kTwo);
}

TEST(BestKnownCache, SignatureThatSaysNothingIsNotRemembered) {
  BestKnownCache memory(8);
  memory.remember(named(""), kOne);
  EXPECT_EQ(memory.size(), 0U);
  EXPECT_EQ(memory.recall(named("")), std::nullopt);
}

TEST(BestKnownCache, ForgetsTheLeastRecentlyUsed) {
  BestKnownCache memory(2);
  memory.remember(named("a"), kOne);
  memory.remember(named("b"), kTwo);
  EXPECT_EQ(memory.recall(named("a")), kOne);
  memory.remember(named("c"), kOne);
  EXPECT_EQ(memory.size(), 2U);
  EXPECT_EQ(memory.recall(named("b")), std::nullopt);
  EXPECT_EQ(memory.recall(named("a")), kOne);
}

TEST(BackOff, CalmWorkloadIsExploredAtOnce) {
  BackOff back_off(1s);
  EXPECT_EQ(back_off.after(1h), 0s);
}

TEST(BackOff, ChangesOneAfterAnotherAreWaitedForEverLonger) {
  BackOff back_off(1s);
  std::chrono::nanoseconds last = 0s;
  for (int i = 0; i < 5; ++i) {
    const auto wait = back_off.after(1s);
    EXPECT_GT(wait, last);
    last = wait;
  }
  for (int i = 0; i < 100; ++i)
    last = back_off.after(1s);
  EXPECT_GT(last, 30s);
  EXPECT_LT(last, 2min);
}

TEST(BackOff, CalmEndsIt) {
  BackOff back_off(1s);
  for (int i = 0; i < 5; ++i)
    back_off.after(1s);
  EXPECT_EQ(back_off.after(1h), 0s);
  EXPECT_LT(back_off.after(1s), 1s);
}

} // namespace
} // namespace sartor
