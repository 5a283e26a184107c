// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "explore/objective/window.h"

#include <atomic>
#include <chrono>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace sartor {
namespace {

using namespace std::chrono_literals;
using Direction = Objective::Direction;

constexpr WindowLength brief{.shortest = 20ms, .longest = 200ms, .events = 3};

Reading read(const Objective &objective, const WindowLength &length = brief,
             double hopeless_below = 0) {
  return read_window(objective, length, hopeless_below, {}).value();
}

TEST(Window, CounterGivesARate) {
  double count = 0;
  EXPECT_GT(read({.read = [&] { return count += 1; }}).value, 0);
}

TEST(Window, CounterThatStandsStillEndsWithTheLongestWindow) {
  const Reading reading = read({.read = [] { return 5.0; }}, {5ms, 50ms, 3});
  EXPECT_EQ(reading.value, 0);
  EXPECT_GE(reading.seconds, 0.05);
}

TEST(Window, HopelessCounterIsCutOff) {
  const Reading reading = read({.read = [] { return 5.0; }}, {5ms, 10min, 3}, 100);
  EXPECT_EQ(reading.value, 0);
}

TEST(Window, GaugeGivesTheMeanOfItsReadings) {
  int readings = 0;
  const auto gauge =
      Objective::value_of([&] { return ++readings % 2 ? 4.0 : 6.0; }, Direction::higher_is_better);
  const double mean = read(gauge).value;
  EXPECT_GT(readings, 1);
  EXPECT_NEAR(mean, 5, 0.5);
}

TEST(Window, GaugeSkipsReadingsThatAreNoNumbers) {
  int readings = 0;
  const auto gauge = Objective::value_of(
      [&] { return ++readings == 1 ? std::numeric_limits<double>::quiet_NaN() : 4.0; },
      Direction::higher_is_better);
  EXPECT_EQ(read(gauge).value, 4);
}

TEST(Window, GaugeWithoutANumberSaysSo) {
  const auto gauge = Objective::value_of([] { return std::nan(""); }, Direction::higher_is_better);
  EXPECT_TRUE(std::isnan(read(gauge, {5ms, 20ms, 3}).value));
}

TEST(Window, RatioIsHowMuchOneGrowsByTheOther) {
  double requests = 0;
  double cost = 0;
  const auto ratio =
      Objective::cost_per([&] { return cost = 7 + 3 * requests; }, [&] { return requests += 2; });
  cost = 7;
  EXPECT_NEAR(read(ratio).value, 3, 1e-9);
}

TEST(Window, RatioByWhatDoesNotMoveIsNoNumber) {
  const auto ratio = Objective::cost_per([] { return 1.0; }, [] { return 5.0; });
  const Reading reading = read(ratio, {5ms, 50ms, 3});
  EXPECT_TRUE(std::isnan(reading.value));
  EXPECT_GE(reading.seconds, 0.05);
}

TEST(Window, CounterThatGivesNoNumberEndsSoon) {
  EXPECT_TRUE(std::isnan(read({.read = [] { return std::nan(""); }}, {5ms, 10min, 3}).value));
}

TEST(Window, StopEndsTheWindow) {
  std::stop_source stop;
  stop.request_stop();
  const WindowLength endless{1h, 2h, 3};
  const auto gauge = Objective::value_of([] { return 1.0; }, Direction::higher_is_better);
  EXPECT_EQ(read_window({.read = [] { return 1.0; }}, endless, 0, stop.get_token()), std::nullopt);
  EXPECT_EQ(read_window(gauge, endless, 0, stop.get_token()), std::nullopt);
}

TEST(Objective, RateOfReadsTheCounter) {
  std::atomic<std::uint64_t> counter = 7;
  const Objective objective = Objective::rate_of(counter, "requests", "req/s");
  EXPECT_EQ(objective.read(), 7);
  counter = 9;
  EXPECT_EQ(objective.read(), 9);
  EXPECT_EQ(objective.kind, Objective::Kind::counter);
  EXPECT_EQ(objective.name, "requests");
  EXPECT_EQ(objective.unit, "req/s");
}

TEST(Score, OfAnObjectiveThatShouldBeHighIsItsValue) { EXPECT_EQ(score_of({}, 5), 5); }

TEST(Score, OfAnObjectiveThatShouldBeLowIsTurnedAround) {
  const auto latency = Objective::value_of([] { return 1.0; }, Direction::lower_is_better);
  EXPECT_EQ(score_of(latency, 4), 0.25);
  EXPECT_GT(score_of(latency, 4), score_of(latency, 5));
  EXPECT_TRUE(std::isfinite(score_of(latency, 0)));
  EXPECT_GT(score_of(latency, 0), score_of(latency, 1e-9));
}

} // namespace
} // namespace sartor
