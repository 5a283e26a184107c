// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Objects with equal contents share compiled code, and no other state.
#include <array>
#include <deque>
#include <filesystem>
#include <fstream>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include <unistd.h>

#include <gmock/gmock.h>

#include <sartor/sartor.hpp>

#include "handlers/alike.h"

namespace {

using sartor::_;
using sartor::Invariant;

Invariant invariant(const Meter &meter) {
  Invariant declared;
  declared.add_fields(meter, &Meter::step, &Meter::next);
  return declared;
}

TEST(Alike, ObjectsShareWhatWasCompiled) {
  sartor::Runtime runtime;
  Meter one{3, nullptr, 0};
  Meter other{3, nullptr, 50};
  const auto invariant_one = invariant(one);
  const auto invariant_other = invariant(other);
  const auto first = runtime.bind<&count>(&one, _);
  first.wait();
  const auto second = runtime.bind<&count>(&other, _);
  second.wait();
  EXPECT_EQ(runtime.statistics().compiles, 1U);
  EXPECT_EQ(runtime.statistics().alike, 1U);
  EXPECT_EQ(first(2), 6U);
  EXPECT_EQ(second(2), 56U);
  EXPECT_EQ(one.total, 6U);
  EXPECT_EQ(other.total, 56U);
}

TEST(Alike, ObjectsOfWhichNothingIsInvariantShareItToo) {
  sartor::Runtime runtime;
  Meter one{3, nullptr, 0};
  Meter other{4, nullptr, 50};
  const auto first = runtime.bind<&count>(&one, _);
  first.wait();
  const auto second = runtime.bind<&count>(&other, _);
  second.wait();
  EXPECT_EQ(runtime.statistics().compiles, 1U);
  EXPECT_EQ(runtime.statistics().alike, 1U);
  EXPECT_EQ(first(2), 6U);
  EXPECT_EQ(second(2), 58U);
  EXPECT_EQ(one.total, 6U);
  EXPECT_EQ(other.total, 58U);
}

TEST(Alike, OthersDoNot) {
  sartor::Runtime runtime;
  Meter one{3, nullptr, 0};
  Meter other{4, nullptr, 0};
  const auto invariant_one = invariant(one);
  const auto invariant_other = invariant(other);
  runtime.bind<&count>(&one, _).wait();
  const auto second = runtime.bind<&count>(&other, _);
  second.wait();
  EXPECT_EQ(runtime.statistics().compiles, 2U);
  EXPECT_EQ(runtime.statistics().alike, 0U);
  EXPECT_EQ(second(2), 8U);
}

TEST(Alike, IsAlsoWhatTheyPointTo) {
  sartor::Runtime runtime;
  Meter end{5, nullptr, 0};
  Meter other_end{5, nullptr, 0};
  Meter one{3, &end, 0};
  Meter other{3, &other_end, 0};
  Meter longer{3, &one, 0};
  std::vector<Invariant> declared;
  for (const Meter *each : {&end, &other_end, &one, &other, &longer})
    declared.push_back(invariant(*each));
  const auto first = runtime.bind<&count>(&one, _);
  first.wait();
  const auto second = runtime.bind<&count>(&other, _);
  second.wait();
  EXPECT_EQ(runtime.statistics().alike, 1U);
  const auto third = runtime.bind<&count>(&longer, _);
  third.wait();
  EXPECT_EQ(runtime.statistics().alike, 1U);
  EXPECT_EQ(first(1), 8U);
  EXPECT_EQ(second(2), 16U);
  EXPECT_EQ(third(1), 11U);
}

TEST(Alike, IsNothingThatHangsOnWhereItLies) {
  sartor::Runtime runtime;
  std::deque<Meter> meters(20, Meter{7, nullptr, 0});
  std::vector<Invariant> declared;
  for (const Meter &meter : meters) {
    declared.push_back(invariant(meter));
    const auto hash = runtime.bind<&hash_of>(&meter, _);
    hash.wait();
    EXPECT_EQ(hash(1), hash_of(&meter, 1));
  }
}

TEST(Alike, ObjectsMayBeReachedByWayOfOthers) {
  sartor::Runtime runtime;
  for (int round = 0; round < 2; ++round) {
    std::array<Meter, 2> meters{Meter{3, nullptr, 0}, Meter{4, nullptr, 0}};
    const auto first = invariant(meters[0]);
    const auto second = invariant(meters[1]);
    const auto reach = runtime.bind<&reach_across>(&meters[0], &meters[1], _);
    reach.wait();
    EXPECT_EQ(reach(1), 103U);
    EXPECT_EQ(reach(0), 4U);
  }
}

TEST(Alike, IsWhatPointsToTheSamePlaces) {
  sartor::Runtime runtime;
  const std::array<std::array<std::size_t, 4>, 4> places{
      {{0, 1, 2, 3}, {7, 6, 5, 4}, {7, 6, 7, 4}, {1, 2, 1, 0}}};
  for (const auto &place : places) {
    std::array<Meter, 8> meters{};
    std::array<Meter, 8> expected{};
    const auto choice_of = [&](std::array<Meter, 8> &of) {
      return Choice{{&of[place[0]], &of[place[1]], &of[place[2]], &of[place[3]]}};
    };
    const Choice choice = choice_of(meters);
    const Choice in_native_code = choice_of(expected);
    const Invariant declared(&choice, sizeof choice);
    const auto marked = runtime.bind<&mark>(&choice, _);
    marked.wait();
    marked(5);
    mark(&in_native_code, 5);
    for (std::size_t i = 0; i < meters.size(); ++i)
      EXPECT_EQ(meters[i].total, expected[i].total);
  }
  EXPECT_EQ(runtime.statistics().compiles, 2U);
  EXPECT_EQ(runtime.statistics().alike, 2U);
}

TEST(Alike, ThousandsOfObjectsCountAsTheyWould) {
  sartor::Runtime runtime;
  std::mt19937 random(4);
  std::deque<Meter> meters;
  std::vector<Invariant> declared;
  for (int i = 0; i < 1000; ++i) {
    const Meter *next = i > 0 && random() % 2 == 0 ? &meters[random() % meters.size()] : nullptr;
    if (next && next->next)
      next = nullptr;
    meters.push_back({random() % 3, next, random()});
    declared.push_back(invariant(meters.back()));
  }
  std::vector<decltype(runtime.bind<&count>(&meters[0], _))> bound;
  runtime.limit_bindings<&count>(2000, {});
  for (Meter &meter : meters)
    bound.push_back(runtime.bind<&count>(&meter, _));
  for (std::size_t i = 0; i < meters.size(); ++i) {
    bound[i].wait();
    Meter copy = meters[i];
    const std::uint64_t expected = count(&copy, i);
    ASSERT_EQ(bound[i](i), expected);
    ASSERT_EQ(meters[i].total, expected);
  }
  // One chain with a step of three, and one for each step, with or without a successor.
  const auto statistics = runtime.statistics();
  EXPECT_LE(statistics.compiles + statistics.disk_hits, 12U);
  EXPECT_EQ(statistics.alike, 1000 - statistics.compiles - statistics.disk_hits);
}

TEST(Alike, HasItsOwnNameInTheEventLog) {
  const auto path = std::filesystem::temp_directory_path() /
                    ("sartor-alike-" + std::to_string(getpid()) + ".log");
  {
    sartor::Options options;
    options.event_log = path;
    sartor::Runtime runtime(options);
    Meter one{3, nullptr, 0};
    Meter other{3, nullptr, 0};
    const auto invariant_one = invariant(one);
    const auto invariant_other = invariant(other);
    runtime.bind<&count>(&one, _).wait();
    runtime.bind<&count>(&other, _).wait();
  }
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_THAT(text.str(), testing::HasSubstr(R"("from":"alike")"));
  std::filesystem::remove(path);
}

TEST(Alike, StaysWhenTheFirstHasGone) {
  sartor::Runtime runtime;
  auto one = std::make_unique<Meter>(Meter{3, nullptr, 0});
  {
    const auto declared = invariant(*one);
    runtime.bind<&count>(one.get(), _).wait();
  }
  one.reset();
  Meter other{3, nullptr, 0};
  const auto declared = invariant(other);
  const auto second = runtime.bind<&count>(&other, _);
  second.wait();
  EXPECT_EQ(second(4), 12U);
}

} // namespace
