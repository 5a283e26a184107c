// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/change_detection/mix.h"

#include <cstddef>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

#include "tuner/change_detection/change_test.h"
#include "tuner/change_detection/novelty.h"

namespace sartor {
namespace {

using Counts = std::vector<std::uint64_t>;

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

/// Generates windows of requests that arrive in sessions of a given length.
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

double distance(const Shape &left, const Shape &right) {
  return compare(left.points().at("kind"), right.points().at("kind")).distance;
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

// Reference values of Fisher's F distribution from R's pf(..., lower.tail = FALSE).
TEST(Chance, IsThatOfARatioOfVariances) {
  EXPECT_NEAR(chance_of(1, 7, 70), 0.4394, 0.01);
  EXPECT_NEAR(chance_of(3, 7, 70), 0.0083, 0.0005);
  EXPECT_NEAR(chance_of(6, 7, 70) / 1.9e-5, 1, 0.3);
  EXPECT_EQ(chance_of(0, 7, 70), 1);
}

TEST(ChangeTest, EvidenceAgainstAChangeIsNotSavedUp) {
  ChangeTest test(3);
  for (int i = 0; i < 100; ++i)
    test.add(-1, -1);
  test.add(1.5, -1);
  EXPECT_FALSE(test.has_changed());
  test.add(1.5, -1);
  EXPECT_TRUE(test.has_changed());
}

TEST(ChangeTest, DirectionsAreApart) {
  ChangeTest test(3);
  for (int i = 0; i < 10; ++i) {
    test.add(2, -2);
    test.add(-2, 2);
  }
  EXPECT_FALSE(test.has_changed());
  test.add(-2, 2);
  EXPECT_TRUE(test.has_changed());
}

TEST(ChangeTest, TwiceMeansInARow) {
  ChangeTest test(ChangeTest::twice);
  for (const double evidence : {1.0, ChangeTest::unchanged, 1.0}) {
    test.add(evidence);
    EXPECT_FALSE(test.has_changed());
  }
  test.add(1);
  EXPECT_TRUE(test.has_changed());
  test.add(ChangeTest::unchanged);
  EXPECT_FALSE(test.has_changed());
}

TEST(Mix, AnotherWorkloadIsAChangeWhenItLasts) {
  Traffic traffic;
  Mix mix;
  for (int i = 0; i < 20; ++i)
    EXPECT_FALSE(mix.changed(traffic.window({3, 2, 1}, 300, 20)));
  EXPECT_FALSE(mix.changed(traffic.window({1, 2, 6}, 300, 20)));
  EXPECT_TRUE(mix.changed(traffic.window({1, 2, 6}, 300, 20)));
  EXPECT_GT(mix.last_distance(), 0.3);
}

TEST(Mix, WhollyOtherThanWhileExploringIsAChangeFromTheFirstWindowOn) {
  Mix mix;
  mix.begin_with(shape({1000, 0}));
  EXPECT_FALSE(mix.changed(shape({0, 1000})));
  EXPECT_TRUE(mix.changed(shape({0, 1000})));
}

TEST(Mix, SingleOddWindowIsNoChange) {
  Traffic traffic;
  Mix mix;
  for (int i = 0; i < 100; ++i)
    EXPECT_FALSE(mix.changed(i % 9 == 8 ? traffic.window({1, 2, 6}, 300, 20)
                                        : traffic.window({3, 2, 1}, 300, 20)));
}

TEST(Mix, NewValueWhereThereWasOnlyOneIsAChange) {
  Mix mix;
  for (int i = 0; i < 10; ++i)
    EXPECT_FALSE(mix.changed(shape({1000})));
  mix.changed(shape({700, 300}));
  EXPECT_TRUE(mix.changed(shape({700, 300})));
}

/// A detector that has seen the same counts for several windows.
Novelty used_to(const Counts &counts) {
  Novelty novelty(shape(counts));
  for (int i = 0; i < 6; ++i)
    EXPECT_FALSE(novelty.found(shape(counts)));
  return novelty;
}

TEST(Novelty, IsFoundWhenItLastsForTwoLooks) {
  Novelty novelty = used_to({1000, 1000});
  EXPECT_FALSE(novelty.found(shape({0, 0, 300})));
  EXPECT_FALSE(novelty.found(shape({300, 0, 0})));
  EXPECT_FALSE(novelty.found(shape({100, 0, 200})));
  EXPECT_TRUE(novelty.found(shape({100, 0, 200})));
  EXPECT_NEAR(novelty.share(), 2.0 / 3, 1e-9);
}

TEST(Novelty, IsNotWhatComesInTurns) {
  Novelty novelty(shape({1000, 1000, 1000}));
  for (int turn = 0; turn < 60; ++turn)
    EXPECT_FALSE(novelty.found(turn % 30 < 10   ? shape({300, 0, 0})
                               : turn % 30 < 20 ? shape({0, 300, 0})
                                                : shape({0, 0, 300})));
}

TEST(Novelty, IsNotWhatCameLittleByLittle) {
  Novelty novelty = used_to({1000, 0});
  for (std::uint64_t share = 0; share <= 100; ++share)
    EXPECT_FALSE(novelty.found(shape({1000 - 10 * share, 10 * share})));
}

TEST(Novelty, SaysNothingWhereThereIsAlwaysSomethingNew) {
  Counts counts;
  Novelty novelty(shape({1000}));
  for (int look = 0; look < 60; ++look) {
    counts.assign(counts.size(), 0);
    counts.insert(counts.end(), 5, 100); // five keys that have never been seen
    EXPECT_FALSE(novelty.found(shape(counts)));
  }
}

TEST(Novelty, IsNotKnownOfFewSightingsOrWhereNothingWasSeen) {
  Novelty novelty = used_to({1000, 1000});
  Novelty nothing{Shape()};
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(novelty.found(shape({0, 0, 50})));
    EXPECT_FALSE(nothing.found(shape({0, 0, 5000})));
  }
}

TEST(Novelty, IsFoundWhereFewSightingsComeInALook) {
  Novelty novelty = used_to({1000, 1000});
  int looks = 1;
  while (!novelty.found(shape({0, 0, 50})))
    ASSERT_LT(++looks, 20);
  EXPECT_EQ(looks, 8); // twice 200 sightings
}

TEST(Novelty, IsFoundAtOnePointWhileAnotherIsAsEver) {
  const auto both = [](const Counts &first, const Counts &second) {
    Shape all = shape(first);
    all.points().merge(shape(second, "another").points());
    return all;
  };
  Novelty novelty(both({1000}, {1000}));
  for (int i = 0; i < 30; ++i)
    EXPECT_FALSE(novelty.found(both({1000}, {50})));
  int looks = 1;
  while (!novelty.found(both({1000}, {0, 50})))
    ASSERT_LT(++looks, 20);
  EXPECT_LE(looks, 12);
}

TEST(Mix, FewSightingsSayNothing) {
  Mix mix;
  for (int i = 0; i < 20; ++i)
    mix.changed(shape({1000, 1000}));
  for (int i = 0; i < 3; ++i)
    EXPECT_FALSE(mix.changed(shape({0, 15})));
}

TEST(Mix, FirstWindowsSayNothing) {
  Mix mix;
  EXPECT_FALSE(mix.changed(shape({1000, 0})));
  EXPECT_FALSE(mix.changed(shape({0, 1000})));
  EXPECT_TRUE(mix.usual().empty());
}

TEST(Mix, SlowDriftBecomesUsual) {
  Mix mix;
  for (std::uint64_t moved = 0; moved < 900; ++moved)
    EXPECT_FALSE(mix.changed(shape({1000 - moved, 100 + moved}))) << moved;
}

TEST(Mix, PassesOfOneSessionCountAsOne) {
  Traffic traffic;
  Mix mix;
  for (int i = 0; i < 64; ++i)
    mix.changed(traffic.window({30, 22, 15, 12, 8, 6, 4, 3}, 100, 20));
  const double independent = mix.independent(shape({1000, 1000})).points().at("kind").count;
  EXPECT_NEAR(independent, 100, 30);
}

} // namespace
} // namespace sartor
