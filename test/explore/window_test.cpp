// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/objective/window.h"

#include <atomic>
#include <chrono>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <utility>

#include <sartor/error.hpp>

namespace sartor {
namespace {

using namespace std::chrono_literals;
using Direction = Objective::Direction;

constexpr WindowLength brief{.shortest = 20ms, .longest = 200ms, .events = 3};

ObjectiveSample read(const Objective &objective, const WindowLength &length = brief,
                     double hopeless_below = 0) {
  return read_window(objective, length, hopeless_below, {}).value();
}

TEST(Window, CounterGivesARate) {
  double count = 0;
  EXPECT_GT(read({.read = [&] { return count += 1; }}).value, 0);
}

TEST(Window, CounterThatStandsStillEndsWithTheLongestWindow) {
  const ObjectiveSample measured = read({.read = [] { return 5.0; }}, {5ms, 50ms, 3});
  EXPECT_EQ(measured.value, 0);
  EXPECT_GE(measured.seconds, 0.05);
}

TEST(Window, HopelessCounterIsCutOff) {
  const ObjectiveSample measured = read({.read = [] { return 5.0; }}, {5ms, 10min, 3}, 100);
  EXPECT_EQ(measured.value, 0);
}

TEST(Window, GaugeGivesTheMeanOfItsReadings) {
  int measured_samples = 0;
  const auto gauge = Objective::value_of([&] { return ++measured_samples % 2 ? 4.0 : 6.0; },
                                         Direction::higher_is_better);
  const double mean = read(gauge).value;
  EXPECT_GT(measured_samples, 1);
  EXPECT_NEAR(mean, 5, 0.5);
}

TEST(Window, GaugeSkipsReadingsThatAreNoNumbers) {
  int measured_samples = 0;
  const auto gauge = Objective::value_of(
      [&] { return ++measured_samples == 1 ? std::numeric_limits<double>::quiet_NaN() : 4.0; },
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

TEST(Window, RatioOfASlowCounterIsTakenBetweenItsSteps) {
  for (const int begun : {0, 1, 2, 3}) {
    int time = begun;
    const auto ratio = Objective::cost_per([&] { return 3.0 * time; },
                                           [&] { return 8 * std::floor(++time / 4.0); });
    const ObjectiveSample measured = read(ratio);
    EXPECT_DOUBLE_EQ(measured.value, 12.0 / 8) << begun;
    EXPECT_GE(measured.weight, 8) << begun;
  }
}

TEST(Window, RatioByWhatDoesNotMoveIsNoNumber) {
  const auto ratio = Objective::cost_per([] { return 1.0; }, [] { return 5.0; });
  const ObjectiveSample measured = read(ratio, {5ms, 50ms, 3});
  EXPECT_TRUE(std::isnan(measured.value));
  EXPECT_GE(measured.seconds, 0.05);
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
  for (const auto &[better, worse] :
       {std::pair{4.0, 5.0}, {0.0, 1e-9}, {-1.0, 0.0}, {-90.0, -80.0}, {-1.0, 1.0}})
    EXPECT_GT(score_of(latency, better), score_of(latency, worse)) << better << ", " << worse;
}

TEST(Score, OfAWeightedObjectiveIsAProductOfPositiveQuantities) {
  const auto cost = Objective::value_of([] { return 1.0; }, Direction::lower_is_better, "cost");
  const auto value = Objective::value_of([] { return 1.0; }, Direction::higher_is_better, "value");
  const auto both = Objective::weighted({{value, 1}, {cost, 1}});
  const auto score = [&](double of_value, double of_cost) {
    return score_of(both, ObjectiveSample{.value = of_value,
                                          .seconds = 1,
                                          .average = of_value,
                                          .weight = 1,
                                          .quantities = {{of_cost, 1, {}}}})
        .value;
  };
  EXPECT_DOUBLE_EQ(score(8, 2), 2);
  EXPECT_EQ(score(0, 2), 0);
  EXPECT_THROW((void)score(8, 0), Error);
  EXPECT_THROW((void)score(8, -1), Error);
  EXPECT_THROW((void)score(-1, 2), Error);
}

} // namespace
} // namespace sartor
