// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "explore/keep/memory.h"

#include <gtest/gtest.h>
#include <initializer_list>
#include <string>

#include "explore/watch/change_backoff.h"

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
  EXPECT_FALSE(seen({10, 10}).is_known());
  EXPECT_TRUE(named("day").is_known());
  EXPECT_TRUE(seen({1000, 10}).is_known());
}

TEST(Signature, SameMixIsTheSameWorkload) {
  EXPECT_LT(distance(seen({600, 400}), seen({6100, 3900})), same_workload);
}

TEST(Signature, AnotherMixIsAnotherWorkload) {
  EXPECT_GT(distance(seen({600, 400}), seen({300, 700})), same_workload);
}

TEST(Signature, AnotherNameIsAnotherWorkload) {
  EXPECT_EQ(distance(seen({600, 400}, "day"), seen({600, 400}, "night")), 1);
}

TEST(Signature, NameAloneWillDoWhereNothingIsSeen) {
  EXPECT_EQ(distance(seen({600, 400}, "day"), named("day")), 0);
}

TEST(WinnerMemory, RecallsTheWinnerOfTheSameWorkload) {
  WinnerMemory memory(8);
  memory.remember(seen({600, 400}), kOne);
  memory.remember(seen({100, 900}), kTwo);
  EXPECT_EQ(memory.recall(seen({590, 410})), kOne);
  EXPECT_EQ(memory.recall(seen({90, 910})), kTwo);
}

TEST(WinnerMemory, UnknownWorkloadHasNoWinner) {
  WinnerMemory memory(8);
  EXPECT_EQ(memory.recall(seen({600, 400})), std::nullopt);
  memory.remember(seen({600, 400}), kOne);
  EXPECT_EQ(memory.recall(seen({0, 900})), std::nullopt);
}

TEST(WinnerMemory, TakesTheNearest) {
  WinnerMemory memory(8);
  memory.remember(seen({600, 400}), kOne);
  memory.remember(seen({350, 650}), kTwo);
  EXPECT_EQ(memory.recall(seen({500, 500})), kOne);
  EXPECT_EQ(memory.recall(seen({450, 550})), kTwo);
}

TEST(WinnerMemory, NewWinnerTakesTheOldOnesPlace) {
  WinnerMemory memory(8);
  memory.remember(named("day"), kOne);
  memory.remember(named("day"), kTwo);
  EXPECT_EQ(memory.size(), 1U);
  EXPECT_EQ(memory.recall(named("day")), kTwo);
}

TEST(WinnerMemory, SignatureThatSaysNothingIsNotRemembered) {
  WinnerMemory memory(8);
  memory.remember(named(""), kOne);
  EXPECT_EQ(memory.size(), 0U);
  EXPECT_EQ(memory.recall(named("")), std::nullopt);
}

TEST(WinnerMemory, ForgetsTheLeastRecentlyUsed) {
  WinnerMemory memory(2);
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
