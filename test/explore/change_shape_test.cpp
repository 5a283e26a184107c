// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "explore/watch/change_shape.h"

#include <cstddef>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

namespace sartor {
namespace {

using Counts = std::vector<std::uint64_t>;
using Verdict = ShapeRule::Verdict;

Profile profile(const Counts &counts, const std::string &label = "kind") {
  PointProfile point;
  for (std::size_t value = 0; value < counts.size(); ++value) {
    point.entries.push_back({.inputs = {Value(value)}, .count = counts[value]});
    point.count += counts[value];
  }
  return Profile("", {{label, point}});
}

Shape shape(const Counts &counts, const std::string &label = "kind") {
  return Shape::between({}, profile(counts, label));
}

/// A window of requests that come in sessions of some length.
class Traffic {
public:
  Shape window(const std::vector<double> &weights, int sessions, int length) {
    std::discrete_distribution<std::size_t> kind(weights.begin(), weights.end());
    Counts counts(weights.size());
    for (int i = 0; i < sessions; ++i)
      counts[kind(random_)] += static_cast<std::uint64_t>(length);
    return shape(counts);
  }

private:
  std::mt19937_64 random_{7}; // NOLINT(*-random-generator-seed)
};

TEST(Shape, IsWhatCameBetweenTwoProfiles) {
  const Shape between = Shape::between(profile({100, 100}), profile({100, 130, 10}));
  const Shape::Point &point = between.points().at("kind");
  EXPECT_EQ(point.count, 40);
  EXPECT_EQ(point.shares.size(), 2U);
  EXPECT_DOUBLE_EQ(point.shares.at({Value(1)}), 0.75);
  EXPECT_DOUBLE_EQ(point.shares.at({Value(2)}), 0.25);
}

TEST(Shape, LeavesOutPointsThatSawNothing) {
  EXPECT_TRUE(Shape::between(profile({5}), profile({5})).empty());
}

TEST(Shape, OfAProfileThatWasClearedIsEmpty) {
  EXPECT_TRUE(Shape::between(profile({50}), profile({5})).empty());
}

TEST(ShapeDistance, DoesNotDependOnHowOften) {
  EXPECT_NEAR(distance(shape({10, 30}), shape({1000, 3000})), 0, 1e-12);
}

TEST(ShapeDistance, IsTheShareThatWouldHaveToMove) {
  EXPECT_NEAR(distance(shape({50, 50}), shape({70, 30})), 0.2, 1e-12);
  EXPECT_NEAR(distance(shape({100}), shape({0, 100})), 1, 1e-12);
}

TEST(ShapeDistance, WhatIsRareCountsAsOne) {
  Counts early(1000, 1), late(2000, 0);
  for (std::size_t i = 1000; i < 2000; ++i)
    late[i] = 1;
  EXPECT_NEAR(distance(shape(early), shape(late)), 0, 1e-9);
}

TEST(ShapeDistance, PointThatOnlyOneSideHasIsAllTheDifference) {
  EXPECT_EQ(distance(shape({1}, "a"), shape({1}, "b")), 1);
}

TEST(ShapeRule, WindowsOfOneWorkloadAreUsual) {
  Traffic traffic;
  ShapeRule rule;
  int others = 0;
  for (int i = 0; i < 1000; ++i)
    others += rule.judge(traffic.window({30, 22, 15, 12, 8, 6, 4, 3}, 300, 20)) == Verdict::other;
  EXPECT_LE(others, 3);
}

TEST(ShapeRule, QuietWindowsOfTheSameWorkloadAreUsual) {
  Traffic traffic;
  ShapeRule rule;
  for (int i = 0; i < 50; ++i)
    rule.judge(traffic.window({3, 2, 1}, 1000, 20));
  int others = 0;
  for (int i = 0; i < 200; ++i)
    others += rule.judge(traffic.window({3, 2, 1}, 100, 20)) == Verdict::other;
  EXPECT_EQ(others, 0);
}

TEST(ShapeRule, AnotherWorkloadIsSurelyAnother) {
  Traffic traffic;
  ShapeRule rule;
  for (int i = 0; i < 20; ++i)
    rule.judge(traffic.window({3, 2, 1}, 1000, 20));
  EXPECT_EQ(rule.judge(traffic.window({3, 2, 3}, 1000, 20)), Verdict::other);
  EXPECT_GT(rule.last_distance(), 0.15);
}

TEST(ShapeRule, WithoutHistoryOnlyABigDifferenceCounts) {
  ShapeRule rule;
  rule.judge(shape({600, 400}));
  EXPECT_EQ(rule.judge(shape({400, 600})), Verdict::usual);
  EXPECT_EQ(rule.judge(shape({100, 900})), Verdict::other);
}

TEST(ShapeRule, FewSightingsSayNothing) {
  ShapeRule rule;
  for (int i = 0; i < 20; ++i)
    rule.judge(shape({1000, 1000}));
  EXPECT_EQ(rule.judge(shape({0, 20})), Verdict::usual);
}

TEST(ShapeRule, SlowDriftBecomesUsual) {
  ShapeRule rule;
  for (std::uint64_t moved = 0; moved < 900; ++moved)
    EXPECT_EQ(rule.judge(shape({1000 - moved, 100 + moved})), Verdict::usual) << moved;
}

} // namespace
} // namespace sartor
