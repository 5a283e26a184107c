// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs that do not fit well into samples, in simulated time: iterations that take seconds, and
// counts whose unit changes during exploration.
#include <cmath>
#include <gtest/gtest.h>
#include <memory>
#include <random>
#include <utility>

#include "tuner/exploration.h"
#include "tuner/measure/window_meter.h"
#include "worlds.h"

namespace sartor {
namespace {

using namespace std::chrono_literals;

/// A counter increases when an iteration is done; an iteration continues under the variant with
/// which it began.
class LongIterations final : public MeasuredProgram {
public:
  explicit LongIterations(std::vector<double> seconds) : takes_(std::move(seconds)) {
    begin_iteration();
  }

  void activate(const Configuration &configuration) override {
    const Setting *setting = configuration.find("B");
    now_ = setting ? static_cast<std::size_t>(setting->values.front().integer()) : 0;
  }
  std::optional<ObjectiveSample> read_sample(std::chrono::nanoseconds at_least,
                                             double hopeless_below,
                                             const std::stop_token & /*stop*/) override {
    return read(std::max<std::chrono::nanoseconds>(at_least, 2ms), hopeless_below);
  }
  std::optional<ObjectiveSample> rest(std::chrono::nanoseconds long_enough,
                                      const std::stop_token & /*stop*/) override {
    return read(long_enough, 0);
  }

  double seconds = 0;

private:
  void begin_iteration() {
    ends_ = seconds + takes_[now_] * (1 + 0.02 * std::normal_distribution<double>()(random_));
  }
  ObjectiveSample read(std::chrono::nanoseconds shortest, double hopeless_below) {
    const auto time = [&] {
      return CounterWindow::Time(std::chrono::duration_cast<CounterWindow::Time::duration>(
          std::chrono::duration<double>(seconds)));
    };
    CounterWindow window({.shortest = shortest, .longest = 500ms, .events = 3}, time(), count_,
                         step_);
    while (!window.over(hopeless_below)) {
      seconds += 1e-3;
      if (seconds >= ends_) {
        ++count_;
        begin_iteration();
      }
      window.read(time(), count_);
    }
    step_ = window.step();
    return window.measured();
  }

  std::vector<double> takes_;
  std::mt19937_64 random_{1};
  std::size_t now_ = 0;
  double ends_ = 0, count_ = 0, step_ = 0;
};

Decision explore(LongIterations &program) {
  worlds::SimulatedVariants variants(program);
  const Objective rate{.read = [] { return 0; }};
  const ExplorerOptions options;
  const SearchSpace space({Dimension{.label = "B", .settings = {1}}});
  WindowMeter meter(program, {options.regression_budget, options.error_probability});
  return Exploration(variants, meter, rate, options, space, {.incumbent = {}}).run({}).value();
}

TEST(SlowProgram, OneIterationInTwoSecondsGetsItsDecision) {
  LongIterations program({2, 1.4});
  const Decision decision = explore(program);
  EXPECT_EQ(decision.verdict, Verdict::better);
  EXPECT_EQ(decision.configuration, (Configuration{{"B", 1}}));
  EXPECT_NEAR(decision.estimate.mean, 1 / 1.4, 0.05);
  EXPECT_LT(program.seconds, 1800);
}

TEST(SlowProgram, WhatIsSlowerStillIsNotChosenForHavingBeenCutOff) {
  LongIterations program({2, 7});
  const Decision decision = explore(program);
  EXPECT_TRUE(decision.configuration.empty());
}

/// From some moment on, counts in a unit that is a thousandth of the previous one.
class Rescaled final : public worlds::World {
public:
  Rescaled(std::unique_ptr<World> world, double after) : world_(std::move(world)), left_(after) {}
  [[nodiscard]] const std::vector<double> &truth() const override { return world_->truth(); }
  Step step(std::size_t variant) override {
    left_ -= worlds::step_seconds;
    Step step = world_->step(variant);
    step.work *= left_ > 0 ? 1 : 1000;
    return step;
  }

private:
  std::unique_ptr<World> world_;
  double left_;
};

TEST(SlowProgram, UnitThatChangesMisleadsNobody) {
  int wrong = 0, runs = 0;
  for (const worlds::Cell &cell : worlds::cells()) {
    if (cell.name != "quiet" && cell.name != "two, 2 % apart, the best active")
      continue;
    for (const double after : {0.05, 0.5, 1.7, 4.0, 6.0})
      for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        Rescaled world(cell.make(seed), after);
        const auto outcome = worlds::explore(world, {}, seed);
        ++runs;
        wrong += outcome.verdict != Verdict::undecided &&
                 outcome.chosen < (1 - ExplorerOptions().tolerance) * outcome.best;
      }
  }
  ASSERT_EQ(runs, 40);
  EXPECT_LE(wrong, 4); // 5 % of the runs would be 2
}

} // namespace
} // namespace sartor
