// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/measure/call_meter.h"

#include <functional>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sartor {
namespace {

using namespace std::chrono_literals;

/// A program whose calls take the number of ticks in `ticks`. Each poll finds another round.
class FakeRotation final : public CallRotation {
public:
  struct Log {
    std::vector<std::string> events;
    std::vector<std::size_t> left_out;
    std::vector<Configuration> activate;
    int starts = 0;
    int stops = 0;
  };

  FakeRotation(std::map<Configuration, double> ticks, Log &log)
      : ticks_(std::move(ticks)), log_(log) {}

  void activate(const Configuration &configuration) override {
    lanes_.assign(1, configuration);
    log_.activate.push_back(configuration);
  }
  Result<Started> start(std::span<const Configuration> others, double) override {
    ++log_.starts;
    const Configuration incumbent = lanes_.empty() ? Configuration() : lanes_.front();
    lanes_.assign(1, incumbent);
    lanes_.insert(lanes_.end(), others.begin(), others.end());
    out_.assign(lanes_.size(), false);
    is_on_ = true;
    Started started{.plan = ++plan_,
                    .failures = std::vector<std::optional<Failure>>(others.size())};
    for (std::size_t i = 0; i < others.size(); ++i)
      if (!ticks_.contains(others[i])) {
        started.failures[i] =
            Failure{ErrorCode::compile_failed, "x", "cannot be had", "do without"};
        out_[i + 1] = true;
      }
    return started;
  }
  void stop() override {
    ++log_.stops;
    is_on_ = false;
  }
  void set_out(std::size_t lane, bool is_out) override {
    out_[lane] = is_out;
    if (is_out)
      log_.left_out.push_back(lane);
  }
  bool take(std::vector<runtime::RotationSample> &samples) override {
    if (ends_at && looks_ == *ends_at) {
      ends_at.reset();
      is_on_ = false;
    }
    ++looks_;
    cost_change_ *= drift;
    for (std::size_t lane = 0; is_on_ && is_called && lane < lanes_.size(); ++lane)
      if (!out_[lane])
        samples.push_back(
            {plan_, looks_,
             static_cast<std::uint64_t>(
                 1000 * cost_change_ * ticks_.at(lanes_[lane]) *
                 (odd && lanes_[lane] == odd->configuration && looks_ % odd->every == 0
                      ? odd->factor
                      : 1)),
             1000, static_cast<std::uint16_t>(lane), 0});
    return is_on_;
  }
  /// Time goes on with each poll, whatever the machine is busy with.
  [[nodiscard]] std::chrono::steady_clock::time_point now() const override {
    return std::chrono::steady_clock::time_point(looks_ * 100us);
  }
  [[nodiscard]] std::string handler() const override { return "f"; }
  void log(std::string_view event, std::string_view fields) override {
    log_.events.push_back(std::string(event) + " " + std::string(fields));
  }

  bool is_called = true;
  double drift = 1;                     ///< Factor by which all calls get slower at each poll.
  std::optional<std::uint64_t> ends_at; ///< The poll that finds the rotation ended, once.
  struct Odd {
    Configuration configuration;
    std::uint64_t every;
    double factor;
  };
  std::optional<Odd> odd; ///< In one of `every` rounds, its calls take `factor` times as long.

private:
  std::map<Configuration, double> ticks_;
  Log &log_;
  std::vector<Configuration> lanes_;
  std::vector<bool> out_;
  std::uint64_t plan_ = 1;
  std::uint64_t looks_ = 0;
  double cost_change_ = 1;
  bool is_on_ = false;
};

const Configuration kGeneric;
const Configuration kOne{{"a", 1}};
const Configuration kTwo{{"a", 2}};

class CallMeterTest : public testing::Test {
protected:
  CallMeter &meter(
      std::map<Configuration, double> ticks,
      const std::function<void(FakeRotation &)> &set = [](FakeRotation &) {}) {
    auto rotation = std::make_unique<FakeRotation>(std::move(ticks), log);
    set(*rotation);
    meter_.emplace(std::move(rotation), CallMeter::Options{.longest_sample_time = 20ms});
    meter_->set_incumbent(kGeneric);
    return *meter_;
  }
  static std::vector<Trial> measure(CallMeter &meter,
                                    const std::vector<Configuration> &configurations,
                                    std::size_t sample_count = 1) {
    return meter.measure(configurations, sample_count, {}).value();
  }

  FakeRotation::Log log;

private:
  std::optional<CallMeter> meter_;
};

TEST_F(CallMeterTest, ScoresOneOverTheTicksOfACall) {
  const auto trials = measure(meter({{kGeneric, 100}, {kOne, 80}, {kTwo, 125}}), {kTwo, kOne});
  ASSERT_EQ(trials.size(), 2U);
  EXPECT_EQ(trials[0].configuration, kTwo);
  EXPECT_NEAR(trials[0].score, 1 / 125.0, 1e-6);
  EXPECT_NEAR(trials[1].score, 1 / 80.0, 1e-6);
  EXPECT_FALSE(trials[0].failed || trials[0].cut_short || trials[1].cut_short);
}

TEST_F(CallMeterTest, MeasuresTheIncumbentToo) {
  const auto trials = measure(meter({{kGeneric, 100}, {kOne, 80}}), {kGeneric, kOne});
  EXPECT_NEAR(trials[0].score, 0.01, 1e-6);
  EXPECT_NEAR(trials[1].score / trials[0].score, 1.25, 1e-3);
}

TEST_F(CallMeterTest, TakesDriftOutOfTrialsOfSeveralSamples) {
  auto &calls = meter({{kGeneric, 100}, {kOne, 80}, {kTwo, 90}},
                      [](FakeRotation &rotation) { rotation.drift = 1.02; });
  const auto first = measure(calls, {kOne}, 2);
  const auto second = measure(calls, {kTwo}, 2);
  EXPECT_NEAR(first[0].score / second[0].score, 90.0 / 80, 1e-3);
}

TEST_F(CallMeterTest, GoesOnRotatingTheSameOrFewer) {
  auto &calls = meter({{kGeneric, 100}, {kOne, 80}, {kTwo, 90}});
  measure(calls, {kOne, kTwo});
  measure(calls, {kTwo, kOne});
  measure(calls, {kTwo});
  EXPECT_EQ(log.starts, 1);
  EXPECT_THAT(log.left_out, testing::ElementsAre(1));
  measure(calls, {kOne});
  EXPECT_EQ(log.starts, 1) << "it comes back to the same rotation";
  const Configuration three{{"a", 3}};
  measure(calls, {kOne, three});
  EXPECT_EQ(log.starts, 2);
}

TEST_F(CallMeterTest, WhatIsSlowNowAndThenCountsForWhatItCosts) {
  // A third faster as a rule; ten times as long in one round of eight.
  const auto trials = measure(meter({{kGeneric, 100}, {kOne, 67}},
                                    [](FakeRotation &rotation) { rotation.odd = {kOne, 8, 10}; }),
                              {kGeneric, kOne});
  EXPECT_NEAR(trials[0].score, 1 / 100.0, 1e-6);
  EXPECT_NEAR(trials[1].score, 8 / (7 * 67.0 + 670), 1e-6);
  EXPECT_GT(trials[1].weight, trials[0].weight);
}

TEST_F(CallMeterTest, SoItDoesInTrialsOfSeveralSamples) {
  const auto trials = measure(meter({{kGeneric, 100}, {kOne, 67}},
                                    [](FakeRotation &rotation) { rotation.odd = {kOne, 8, 10}; }),
                              {kOne}, 4);
  EXPECT_NEAR(trials[0].score, 8 / (7 * 67.0 + 670), 1e-6);
  EXPECT_GT(trials[0].error, 0.1 * trials[0].score);
}

TEST_F(CallMeterTest, BlocksAreOfAsManyTicksAndWhatIsOverCountsForTheNext) {
  auto &calls = meter({{kGeneric, 100}, {kOne, 100}},
                      [](FakeRotation &rotation) { rotation.odd = {kOne, 40, 200}; });
  const std::vector<Configuration> both{kGeneric, kOne};
  double size = 0, work = 0, ticks = 0, longest = 0;
  for (int block = 0; block < 60; ++block) {
    const auto trials = calls.measure_blocks(both, 1us, {}).value();
    if (block == 0)
      size = trials[0].weight;
    EXPECT_LE(trials[1].weight, size * (1 + 1e-9));
    work += trials[1].score * trials[1].weight;
    ticks += trials[1].weight;
    longest = std::max(longest, 1 / trials[1].score);
  }
  EXPECT_GT(longest, 500) << "the standstill is seen";
  EXPECT_NEAR(ticks / work, (39 * 100 + 20'000) / 40.0, 150) << "and on the whole, too";
}

TEST_F(CallMeterTest, CutsAVariantThatIsFarBehind) {
  const auto trials = measure(meter({{kGeneric, 100}, {kOne, 10'000}, {kTwo, 100}}), {kOne, kTwo});
  EXPECT_TRUE(trials[0].cut_short);
  EXPECT_FALSE(trials[0].failed);
  EXPECT_NEAR(trials[0].score, 1 / 10'000.0, 1e-6);
  EXPECT_THAT(log.left_out, testing::ElementsAre(1));
  EXPECT_FALSE(trials[1].cut_short);
}

TEST_F(CallMeterTest, CutsTrialsOfSeveralSamplesWhenTheyAreSurelyWorse) {
  const auto trials = measure(meter({{kGeneric, 100}, {kOne, 105}}), {kOne}, 8);
  EXPECT_TRUE(trials[0].cut_short);
  EXPECT_LT(trials[0].sample_count, 8U);
}

TEST_F(CallMeterTest, DoesNotCutShortSamplesOfWhatIsALittleWorse) {
  EXPECT_FALSE(measure(meter({{kGeneric, 100}, {kOne, 105}}), {kOne})[0].cut_short);
}

TEST_F(CallMeterTest, ActivatesTheIncumbentAndComparesWithIt) {
  auto &calls = meter({{kGeneric, 100}, {kOne, 80}, {kTwo, 160}});
  EXPECT_FALSE(measure(calls, {kOne}, 2)[0].cut_short);
  calls.set_incumbent(kOne);
  EXPECT_EQ(log.activate.back(), kOne);
  const auto trials = measure(calls, {kTwo}, 2);
  EXPECT_NEAR(trials[0].score, 1 / 160.0, 1e-5);
  EXPECT_EQ(log.starts, 2);
}

TEST_F(CallMeterTest, FailsTrialsOfAHandlerThatIsNotCalled) {
  const auto trials = measure(meter({{kGeneric, 100}, {kOne, 80}},
                                    [](FakeRotation &rotation) { rotation.is_called = false; }),
                              {kGeneric, kOne});
  EXPECT_TRUE(trials[0].failed);
  EXPECT_TRUE(trials[1].failed);
  EXPECT_THAT(log.events,
              testing::ElementsAre(testing::HasSubstr("not_called {\"handler\":\"f\"")));
}

TEST_F(CallMeterTest, FailsATrialWhoseVariantCannotBeHad) {
  const auto trials = measure(meter({{kGeneric, 100}, {kTwo, 80}}), {kOne, kTwo});
  EXPECT_TRUE(trials[0].failed);
  EXPECT_FALSE(trials[1].failed);
  EXPECT_THAT(log.events, testing::ElementsAre(testing::HasSubstr("cannot be had")));
}

TEST_F(CallMeterTest, BeginsAgainWhenTheRotationWasEnded) {
  const auto trials = measure(
      meter({{kGeneric, 100}, {kOne, 80}}, [](FakeRotation &rotation) { rotation.ends_at = 2; }),
      {kOne});
  EXPECT_EQ(log.starts, 2);
  EXPECT_NEAR(trials[0].score, 1 / 80.0, 1e-6);
}

TEST_F(CallMeterTest, GivesNothingWhenStopped) {
  auto &calls = meter({{kGeneric, 100}, {kOne, 80}});
  std::stop_source stop;
  stop.request_stop();
  const std::vector<Configuration> one{kOne};
  EXPECT_FALSE(calls.measure(one, 4, stop.get_token()));
}

} // namespace
} // namespace sartor
