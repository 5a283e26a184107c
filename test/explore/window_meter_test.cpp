// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/measure/window_meter.h"

#include <chrono>
#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <random>

namespace sartor {
namespace {

using namespace std::chrono_literals;

Configuration numbered(std::size_t i) { return {{"B", i}}; }

/// A program with a simulated clock and counter: each configuration handles a given number of
/// requests per second.
class FakeProgram final : public MeasuredProgram {
public:
  explicit FakeProgram(std::vector<double> rates) : rates_(std::move(rates)) {}

  void activate(const Configuration &configuration) override {
    now_ = static_cast<std::size_t>(configuration.find("B")->values.front().integer());
  }

  std::optional<ObjectiveSample> read_sample(std::chrono::nanoseconds at_least,
                                             double hopeless_below,
                                             const std::stop_token &stop) override {
    return read(std::max<std::chrono::nanoseconds>(at_least, 2ms), 1 - cost_of_samples,
                hopeless_below, stop);
  }
  std::optional<ObjectiveSample> rest(std::chrono::nanoseconds long_enough,
                                      const std::stop_token &stop) override {
    ++rests;
    return read(long_enough, 1, 0, stop);
  }

  std::function<double()> load = [] { return 1.0; };
  /// By configuration: the speed of its first samples and rests, as a share.
  std::map<std::size_t, std::vector<double>> beginning;
  double cost_of_samples = 0; ///< The share of samples that measuring itself takes.
  double seconds = 0;
  double lost = 0; ///< Work lost compared with the first configuration.
  std::map<std::size_t, double> seconds_of;
  std::map<std::size_t, std::size_t> samples_of; ///< Samples and rests.
  std::size_t rests = 0;

private:
  std::optional<ObjectiveSample> read(std::chrono::nanoseconds shortest, double share,
                                      double hopeless_below, const std::stop_token &stop) {
    if (stop.stop_requested())
      return std::nullopt;
    const CounterWindow::Time start{};
    const std::vector<double> &first = beginning[now_];
    const std::size_t nth = samples_of[now_];
    const double rate = rates_[now_] * share * load() * (nth < first.size() ? first[nth] : 1);
    CounterWindow window({.shortest = shortest, .longest = 500ms, .events = 3}, start, 0, 1);
    auto time = start;
    while (!window.over(hopeless_below)) {
      time += 50us;
      const double since = std::chrono::duration<double>(time - start).count();
      window.read(time, std::floor(since * rate));
    }
    const ObjectiveSample measured = window.measured();
    seconds += measured.seconds;
    seconds_of[now_] += measured.seconds;
    ++samples_of[now_];
    lost += measured.seconds * (1 - share * rates_[now_] / rates_[0]);
    return measured;
  }

  std::vector<double> rates_;
  std::size_t now_ = 0;
};

Trial measure(WindowMeter &meter, std::size_t which, std::size_t sample_count) {
  const Configuration configuration = numbered(which);
  return meter.measure(std::span(&configuration, 1), sample_count, {}).value().front();
}

TEST(WindowMeter, SingleSampleScoresWhatTheProgramDoes) {
  FakeProgram program({1e5, 2e5});
  WindowMeter meter(program, {});
  meter.set_incumbent(numbered(0));
  const Trial trial = measure(meter, 1, 1);
  EXPECT_NEAR(trial.score, 2e5, 2e3);
  EXPECT_EQ(trial.sample_count, 1U);
}

TEST(WindowMeter, PairsCancelTheDriftOfTheLoad) {
  FakeProgram program({1e5, 1.1e5, 0.9e5});
  double load = 1;
  program.load = [&] { return load *= 0.99; };
  WindowMeter meter(program, {});
  meter.set_incumbent(numbered(0));
  const double first = measure(meter, 1, 8).score;
  const double later = measure(meter, 2, 8).score;
  EXPECT_NEAR(later / first, 0.9 / 1.1, 0.02);
}

TEST(WindowMeter, ScoresCompareWhenTheIncumbentChanges) {
  FakeProgram program({1e5, 2e5, 3e5});
  WindowMeter meter(program, {.regression_budget = 1});
  meter.set_incumbent(numbered(0));
  const double first = measure(meter, 1, 8).score;
  meter.set_incumbent(numbered(1));
  const Trial later = measure(meter, 2, 8);
  EXPECT_NEAR(later.score / first, 1.5, 0.05);
  EXPECT_NEAR(later.score / later.reference, 3, 0.1); // relative to the first active variant
}

TEST(WindowMeter, ShareOfTheReferenceDoesNotHangOnTheLoad) {
  std::vector<double> shares;
  for (const double load : {1.0, 10.0}) {
    FakeProgram program({1e5, 1.3e5});
    program.load = [load] { return load; };
    WindowMeter meter(program, {});
    meter.set_incumbent(numbered(0));
    const Trial trial = measure(meter, 1, 8);
    shares.push_back(trial.score / trial.reference);
  }
  EXPECT_NEAR(shares[0], 1.3, 0.03);
  EXPECT_NEAR(shares[1], 1.3, 0.03);
}

TEST(WindowMeter, WhatIsSurelyWorseIsCutShort) {
  FakeProgram program({1e5, 0.4e5});
  WindowMeter meter(program, {});
  meter.set_incumbent(numbered(0));
  const Trial trial = measure(meter, 1, 64);
  EXPECT_TRUE(trial.cut_short);
  EXPECT_LT(trial.sample_count, 8U);
  EXPECT_LT(trial.score, 0.6e5);
}

TEST(WindowMeter, TwoBadSamplesAreNoProof) {
  FakeProgram program({1e5, 1.3e5});
  program.beginning[1] = {0.45, 0.55};
  WindowMeter meter(program, {});
  meter.set_incumbent(numbered(0));
  const Trial trial = measure(meter, 1, 64);
  EXPECT_FALSE(trial.cut_short);
  EXPECT_EQ(trial.sample_count, 64U);
}

TEST(WindowMeter, TwoSamplesShowWhatIsSeveralTimesSlower) {
  FakeProgram program({1e5, 0.1e5, 0.1e5, 0.8e5});
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  program.load = [&] { return std::exp(0.1 * normal(random)); };
  WindowMeter meter(program, {});
  meter.set_incumbent(numbered(0));
  measure(meter, 0, 16); // shows the noise
  EXPECT_EQ(measure(meter, 1, 8).sample_count, 2U);
  EXPECT_EQ(measure(meter, 2, 8).sample_count, 2U);
  measure(meter, 3, 8);
  ASSERT_TRUE(meter.hopeless_score(numbered(1)));
  EXPECT_LT(*meter.hopeless_score(numbered(1)), 0.2e5);
  EXPECT_EQ(meter.hopeless_score(numbered(3)), std::nullopt);
  meter.forget_hopeless();
  EXPECT_EQ(meter.hopeless_score(numbered(1)), std::nullopt);
}

TEST(WindowMeter, BurstsOfForeignLoadMakeNoCandidateHopeless) {
  std::mt19937_64 random(1);
  std::bernoulli_distribution comes(0.3);
  int hopeless = 0;
  for (int i = 0; i < 200; ++i) {
    FakeProgram program({1e5, 1e5});
    program.load = [&] { return comes(random) ? 0.1 : 1.0; };
    WindowMeter meter(program, {});
    meter.set_incumbent(numbered(0));
    measure(meter, 0, 16);
    measure(meter, 1, 8);
    hopeless += meter.hopeless_score(numbered(1)) ? 1 : 0;
  }
  EXPECT_EQ(hopeless, 0);
}

TEST(WindowMeter, HundredTimesSlowerIsCutWithinTheBudget) {
  FakeProgram program({2000, 20}); // one call would take 50 ms of that
  WindowMeter meter(program, {.regression_budget = 0.05});
  meter.set_incumbent(numbered(0));
  const Trial trial = measure(meter, 1, 100);
  EXPECT_TRUE(trial.cut_short);
  EXPECT_LE(program.seconds_of[1], 0.01);
  EXPECT_LE(program.lost, 0.0501 * program.seconds);
}

TEST(WindowMeter, BudgetHoldsWhereAllCandidatesAreBad) {
  for (const std::size_t sample_count : {1, 8}) {
    FakeProgram program({1e5, 1e3, 1e4, 5e4, 9e4});
    WindowMeter meter(program, {.regression_budget = 0.05});
    meter.set_incumbent(numbered(0));
    for (int round = 0; round < 20; ++round)
      for (const std::size_t which : {1, 2, 3, 4}) {
        measure(meter, which, sample_count);
        EXPECT_LE(program.lost, 0.052 * program.seconds) << which;
      }
  }
}

TEST(WindowMeter, BudgetHoldsUnderNoise) {
  FakeProgram program({1e5, 5e4, 9.5e4});
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  program.load = [&] { return std::exp(0.1 * normal(random)); };
  WindowMeter meter(program, {.regression_budget = 0.05});
  meter.set_incumbent(numbered(0));
  for (int round = 0; round < 50; ++round)
    for (const std::size_t which : {1, 2})
      measure(meter, which, 1);
  EXPECT_LE(program.lost, 0.06 * program.seconds);
}

TEST(WindowMeter, ForeignLoadThatComesAndGoesEndsNothing) {
  FakeProgram program({1e5, 1e5});
  WindowMeter meter(program, {.regression_budget = 0.05});
  meter.set_incumbent(numbered(0));
  EXPECT_TRUE(meter.know_incumbent({}));
  std::mt19937_64 random(1);
  std::bernoulli_distribution comes(0.3);
  program.load = [&] { return comes(random) ? 0.1 : 1.0; };
  for (int i = 0; i < 100; ++i)
    measure(meter, 1, 1);
  EXPECT_LT(program.seconds, 60);
}

TEST(WindowMeter, WithoutABudgetTheIncumbentIsHardlyMeasured) {
  FakeProgram program({1e5, 5e4});
  WindowMeter meter(program, {.regression_budget = 1});
  meter.set_incumbent(numbered(0));
  for (int i = 0; i < 100; ++i)
    measure(meter, 1, 1);
  EXPECT_LE(program.samples_of[0], 5U);
}

TEST(WindowMeter, JumpOfTheObjectiveEndsNothing) {
  FakeProgram program({1e5, 0.99e5});
  int sample_count = 0;
  program.load = [&] { return ++sample_count < 50 ? 1.0 : 0.001; };
  WindowMeter meter(program, {});
  meter.set_incumbent(numbered(0));
  for (int i = 0; i < 200; ++i)
    measure(meter, 1, 1);
  EXPECT_LT(program.samples_of[0], 2000U);
}

TEST(WindowMeter, ObjectiveWithoutNumbersFailsTrials) {
  class Dumb final : public MeasuredProgram {
    void activate(const Configuration & /*configuration*/) override {}
    std::optional<ObjectiveSample> read_sample(std::chrono::nanoseconds /*at_least*/,
                                               double /*below*/,
                                               const std::stop_token & /*stop*/) override {
      const double nan = std::numeric_limits<double>::quiet_NaN();
      return ObjectiveSample{nan, 0.001, nan};
    }
    std::optional<ObjectiveSample> rest(std::chrono::nanoseconds /*long_enough*/,
                                        const std::stop_token &stop) override {
      return read_sample({}, 0, stop);
    }
  } program;
  WindowMeter meter(program, {});
  meter.set_incumbent(numbered(0));
  EXPECT_TRUE(measure(meter, 1, 1).failed);
  EXPECT_TRUE(measure(meter, 1, 8).failed);
}

TEST(WindowMeter, ZeroAndNegativeObjectivesAreOrdered) {
  class Signed final : public MeasuredProgram {
    std::size_t now_ = 0;
    void activate(const Configuration &configuration) override {
      now_ = static_cast<std::size_t>(configuration.find("B")->values.front().integer());
    }
    std::optional<ObjectiveSample> read_sample(std::chrono::nanoseconds /*at_least*/,
                                               double /*below*/,
                                               const std::stop_token & /*stop*/) override {
      const double score = std::vector{-2.0, -1.0, 0.0, -4.0}[now_];
      return ObjectiveSample{score, 0.001, score};
    }
    std::optional<ObjectiveSample> rest(std::chrono::nanoseconds /*long_enough*/,
                                        const std::stop_token &stop) override {
      return read_sample({}, 0, stop);
    }
  } program;
  WindowMeter meter(program, {});
  meter.set_incumbent(numbered(0));
  EXPECT_GT(measure(meter, 1, 8).score, measure(meter, 3, 8).score);
  EXPECT_GT(measure(meter, 2, 8).score, measure(meter, 1, 8).score);
}

TEST(WindowMeter, WaitingIsPaidForToo) {
  FakeProgram program({1e5});
  WindowMeter meter(program, {.regression_budget = 0.05});
  meter.set_incumbent(numbered(0));
  int asked = 0;
  program.load = [&] { return asked > 0 && asked < 10 ? 0.5 : 1.0; }; // compiling takes half
  EXPECT_TRUE(meter.wait_for([&] { return ++asked == 10; }, {}));
  EXPECT_GE(program.seconds, 10 * 10 * 0.002 - 0.04);
  EXPECT_FALSE(meter.budget().exceeded());
}

TEST(WindowMeter, WhatMeasuringItselfTakesIsPaidForToo) {
  for (const std::size_t sample_count : {1, 8}) {
    FakeProgram program({1e5, 1e5});
    program.cost_of_samples = 0.2;
    WindowMeter meter(program, {.regression_budget = 0.05});
    meter.set_incumbent(numbered(0));
    for (int i = 0; i < 100; ++i)
      measure(meter, 1, sample_count);
    EXPECT_LE(program.lost, 0.0501 * program.seconds);
    EXPECT_GE(program.lost, 0.01 * program.seconds);
  }
}

TEST(WindowMeter, StopEndsATrial) {
  FakeProgram program({1e5, 1e5});
  WindowMeter meter(program, {});
  meter.set_incumbent(numbered(0));
  std::stop_source stop;
  stop.request_stop();
  const Configuration configuration = numbered(1);
  EXPECT_EQ(meter.measure(std::span(&configuration, 1), 8, stop.get_token()), std::nullopt);
}

} // namespace
} // namespace sartor
