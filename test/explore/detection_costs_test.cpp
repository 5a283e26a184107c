// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/change_detection/request_costs.h"

#include <atomic>
#include <chrono>
#include <cmath>
#include <gtest/gtest.h>
#include <stdexcept>
#include <thread>
#include <vector>

namespace sartor {
namespace {

using namespace std::chrono_literals;
using Direction = Objective::Direction;

const Configuration kOurs{{"B", 1}};
const Configuration kTheirs{{"B", 2}};

/// A program that handles some requests whenever it is polled.
struct Busy {
  double requests = 0;
  double each = 3; ///< Cost of one request under kOurs.
  double cost = 0;
  Configuration active = kOurs;
  std::vector<Configuration> history;

  double count() {
    requests += 10;
    cost += 10 * each * (active == kTheirs ? 2 : 1);
    return requests;
  }
  Objective objective() {
    Objective made{.read = [this] { return count(); }};
    made.cost = [this] { return cost; };
    return made;
  }
  RequestCosts costs(const Objective &objective) {
    return {objective, {}, kOurs, kTheirs, [this](const Configuration &configuration) {
              active = configuration;
              history.push_back(configuration);
            }};
  }
};

TEST(RequestCosts, CounterGivesItsCostByCount) {
  Busy program;
  const Objective objective = program.objective();
  EXPECT_DOUBLE_EQ(program.costs(objective).sample({}).value(), 3);
}

TEST(RequestCosts, CounterCostsCpuTimeByDefault) {
  double requests = 0;
  const Objective objective{.read = [&] { return requests += 1; }};
  RequestCosts costs(objective, {}, kOurs, kTheirs, {});
  EXPECT_GT(costs.sample({}).value(), 0);
}

TEST(RequestCosts, RatioIsItself) {
  Busy program;
  const Objective objective =
      Objective::cost_per([&] { return program.cost; }, [&] { return program.count(); });
  RequestCosts costs = program.costs(objective);
  EXPECT_DOUBLE_EQ(costs.sample({}).value(), 3);
  EXPECT_DOUBLE_EQ(costs.value(), 3);
}

TEST(RequestCosts, GaugeIsTheMeanOfItsNumbers) {
  int measured_samples = 0;
  const auto objective = Objective::value_of(
      [&] { return ++measured_samples % 3 == 0 ? std::nan("") : 5.0; }, Direction::lower_is_better);
  RequestCosts costs(objective, {}, kOurs, kTheirs, {});
  EXPECT_DOUBLE_EQ(costs.sample({}).value(), 5);
  EXPECT_DOUBLE_EQ(costs.value(), 5);
}

TEST(RequestCosts, GaugeWithoutANumberSaysNothing) {
  const auto objective =
      Objective::value_of([] { return std::nan(""); }, Direction::lower_is_better);
  RequestCosts costs(objective, {}, kOurs, kTheirs, {});
  EXPECT_TRUE(std::isnan(costs.sample({}).value()));
}

/// A pair of a program in which the rival has half of the objective's value.
Costs::Pair pair_with_half(Objective::Kind kind, Direction direction) {
  Configuration active = kOurs;
  double read = 0, per = 0, cost = 0;
  Objective objective{.read = {}, .kind = kind, .direction = direction};
  objective.per = [&] { return per += 1; };
  objective.cost = [&] { return cost += 1; };
  objective.read = [&] {
    const double value = active == kTheirs ? 2 : 4;
    return kind == Objective::Kind::gauge ? value : read += value;
  };
  RequestCosts costs(objective, {}, kOurs, kTheirs,
                     [&](const Configuration &configuration) { active = configuration; });
  return costs.pair({}).value();
}

TEST(RequestCosts, TheBetterConfigurationHasTheLowerCost) {
  using enum Objective::Kind;
  for (const auto kind : {gauge, ratio}) {
    const Costs::Pair low = pair_with_half(kind, Direction::lower_is_better);
    EXPECT_GT(low.ours, low.rivals);
    const Costs::Pair high = pair_with_half(kind, Direction::higher_is_better);
    EXPECT_LT(high.ours, high.rivals);
  }
  // Its cost grows with each read, and its count by half as much for the rival.
  const Costs::Pair rate = pair_with_half(counter, Direction::higher_is_better);
  EXPECT_LT(rate.ours, rate.rivals);
  const Costs::Pair events = pair_with_half(counter, Direction::lower_is_better);
  EXPECT_GT(events.ours, events.rivals);
}

TEST(RequestCosts, HighGaugeIsReportedInItsOwnUnit) {
  const auto objective = Objective::value_of([] { return 5.0; }, Direction::higher_is_better);
  RequestCosts costs(objective, {}, kOurs, kTheirs, {});
  EXPECT_DOUBLE_EQ(costs.sample({}).value(), 0.2);
  EXPECT_DOUBLE_EQ(costs.value(), 5);
}

TEST(RequestCosts, NoRequestSaysNothing) {
  const Objective objective{.read = [] { return 7.0; }};
  ExplorerOptions options;
  options.longest_sample_time = 30ms;
  RequestCosts costs(objective, options, kOurs, kTheirs, {});
  EXPECT_TRUE(std::isnan(costs.sample({}).value()));
  EXPECT_EQ(costs.value(), 0);
}

TEST(RequestCosts, PairIsOfBothAndLeavesOursActive) {
  Busy program;
  const Objective objective = program.objective();
  RequestCosts costs = program.costs(objective);
  const Costs::Pair pair = costs.pair({}).value();
  EXPECT_DOUBLE_EQ(pair.ours, 3);
  EXPECT_DOUBLE_EQ(pair.rivals, 6);
  EXPECT_EQ(program.history, (std::vector{kTheirs, kOurs}));
}

TEST(RequestCosts, RivalHasNoMoreThanASample) {
  Busy program;
  const Objective objective = program.objective();
  RequestCosts costs = program.costs(objective);
  const auto began = std::chrono::steady_clock::now();
  const Costs::Pair pair = costs.pair({}).value();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  const double slice = std::chrono::duration<double>(ExplorerOptions().sample_time).count();
  EXPECT_GE(pair.seconds, slice);
  EXPECT_LE(pair.seconds, took.count() - 10 * slice); // ours had more time, on both sides
  EXPECT_GT(pair.work, 0);
}

TEST(RequestCosts, WhatDriftsTakesNoPartInAPair) {
  Busy program;
  const Objective objective = program.objective();
  RequestCosts costs(objective, {}, kOurs, kOurs,
                     [&](const Configuration &) { program.each += 1; });
  const Costs::Pair pair = costs.pair({}).value();
  EXPECT_DOUBLE_EQ(pair.rivals, 4);
  EXPECT_DOUBLE_EQ(pair.ours, 4); // 3 before, 5 after
}

TEST(RequestCosts, SampleOfAPairKnowsCpuTimeBetterThanTicksOfTheScheduler) {
  std::atomic<std::uint64_t> rounds = 0;
  const std::jthread busy([&](const std::stop_token &stop) {
    for (std::uint64_t i = 0; !stop.stop_requested(); ++i)
      rounds.store(i, std::memory_order_relaxed);
  });
  CpuTime time;
  time.find_threads();
  int moved = 0;
  constexpr int looks = 20;
  for (int i = 0; i < looks; ++i) {
    const double before = time.seconds(); // first: a round after it has used CPU time since then
    const std::uint64_t before_rounds = rounds;
    const auto end = std::chrono::steady_clock::now() + 300us;
    while (std::chrono::steady_clock::now() < end) {
    }
    // Threads that did nothing in the meantime have used no CPU time.
    moved += rounds == before_rounds || time.seconds() > before ? 1 : 0;
  }
  EXPECT_EQ(moved, looks);
}

TEST(CpuTime, NeverGoesBackWhenAThreadEnds) {
  CpuTime time;
  double before = 0;
  {
    const std::jthread busy([] {
      for (const auto end = std::chrono::steady_clock::now() + 20ms;
           std::chrono::steady_clock::now() < end;) {
      }
    });
    time.find_threads();
    std::this_thread::sleep_for(10ms);
    before = time.seconds();
  }
  EXPECT_GE(time.seconds(), before);
}

TEST(RequestCosts, NoRivalIsTriedWhileNothingGoesOn) {
  const Objective objective{.read = [] { return 7.0; }};
  ExplorerOptions options;
  options.longest_sample_time = 30ms;
  bool tried = false;
  RequestCosts costs(objective, options, kOurs, kTheirs, [&](const auto &) { tried = true; });
  EXPECT_TRUE(std::isnan(costs.pair({})->ours));
  EXPECT_FALSE(tried);
}

TEST(RequestCosts, RivalThatCannotBeHadSaysNothing) {
  Busy program;
  const Objective objective = program.objective();
  RequestCosts costs(objective, {}, kOurs, kTheirs, [&](const Configuration &configuration) {
    if (configuration == kTheirs)
      throw Error({ErrorCode::compile_failed, "B", "no", "none"});
  });
  const auto pair = costs.pair({}).value();
  EXPECT_DOUBLE_EQ(pair.ours, 3);
  EXPECT_TRUE(std::isnan(pair.rivals));
}

TEST(RequestCosts, ObjectiveThatThrowsLeavesOursActive) {
  Busy program;
  Objective objective = program.objective();
  objective.read = [&]() -> double {
    if (program.active == kTheirs)
      throw std::runtime_error("no");
    return program.count();
  };
  RequestCosts costs = program.costs(objective);
  EXPECT_THROW(costs.pair({}), std::runtime_error);
  EXPECT_EQ(program.active, kOurs);
}

TEST(RequestCosts, StopEndsASample) {
  std::stop_source stop;
  stop.request_stop();
  Busy program;
  const Objective objective = program.objective();
  RequestCosts costs = program.costs(objective);
  EXPECT_EQ(costs.sample(stop.get_token()), std::nullopt);
  EXPECT_FALSE(costs.pair(stop.get_token()).has_value());
}

} // namespace
} // namespace sartor
