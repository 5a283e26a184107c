// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/change_detection/call_costs.h"

#include <chrono>
#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <vector>

namespace sartor {
namespace {

using namespace std::chrono_literals;

const Configuration kTheirs{{"B", 2}};

/// A handler that is called all the time. Each poll finds another round.
class FakeRotation final : public CallRotation {
public:
  struct Log {
    int starts = 0;
    int stops = 0;
    std::uint64_t calls = 0; ///< Timed calls.
  };
  explicit FakeRotation(Log &log) : log_(log) {}

  void activate(const Configuration &) override {}
  Result<Started> start(std::span<const Configuration> others, double) override {
    ++log_.starts;
    lanes_ = others.size() + 1;
    is_on_ = true;
    return Started{.plan = ++plan_, .failures = std::vector<std::optional<Failure>>(others.size())};
  }
  void stop() override {
    ++log_.stops;
    is_on_ = false;
  }
  void set_out(std::size_t, bool) override {}
  bool take(std::vector<runtime::RotationSample> &samples) override {
    ++looks_;
    for (std::size_t lane = 0; is_on_ && is_called && lane < lanes_; ++lane) {
      samples.push_back(
          {plan_, looks_, lane == 0 ? 3200U : 4800U, 32, static_cast<std::uint16_t>(lane), 0});
      log_.calls += 32;
    }
    return is_on_;
  }
  [[nodiscard]] std::string handler() const override { return "f"; }
  void log(std::string_view, std::string_view) override {}

  bool is_called = true;

private:
  Log &log_;
  std::size_t lanes_ = 1;
  std::uint64_t plan_ = 1, looks_ = 0;
  bool is_on_ = false;
};

ExplorerOptions options() {
  ExplorerOptions options;
  options.detection_window = 200ms;
  options.longest_sample_time = 20ms;
  return options;
}

TEST(CallCosts, SampleAFewHundredCallsInAWindow) {
  FakeRotation::Log log;
  CallCosts costs(std::make_unique<FakeRotation>(log), options(), kTheirs);
  const auto began = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - began < options().detection_window)
    EXPECT_NEAR(costs.sample({}).value(), 100, 1e-6);
  EXPECT_GE(log.starts, 1);
  EXPECT_LE(log.starts, 5); // one start for each plan
  EXPECT_EQ(log.stops, log.starts);
  EXPECT_LE(log.calls, 500U);
}

TEST(CallCosts, PairIsOfCallsInTurns) {
  FakeRotation::Log log;
  CallCosts costs(std::make_unique<FakeRotation>(log), options(), kTheirs);
  const Costs::Pair pair = costs.pair({}).value();
  EXPECT_NEAR(pair.ours, 100, 1e-6);
  EXPECT_NEAR(pair.rivals, 150, 1e-6);
  EXPECT_GT(pair.seconds, 0);
  EXPECT_EQ(log.starts, 1);
  EXPECT_EQ(log.stops, 1);
}

TEST(CallCosts, ValueIsTheMeanOfWhatWasRead) {
  FakeRotation::Log log;
  CallCosts costs(std::make_unique<FakeRotation>(log), options(), kTheirs);
  EXPECT_TRUE(std::isnan(costs.value()));
  costs.sample({});
  EXPECT_NEAR(costs.value(), 100, 1e-6);
}

TEST(CallCosts, HandlerThatNobodyCallsSaysNothing) {
  FakeRotation::Log log;
  auto rotation = std::make_unique<FakeRotation>(log);
  rotation->is_called = false;
  CallCosts costs(std::move(rotation), options(), kTheirs);
  EXPECT_TRUE(std::isnan(costs.sample({}).value()));
  EXPECT_TRUE(std::isnan(costs.pair({})->ours));
  EXPECT_EQ(log.stops, log.starts);
}

TEST(CallCosts, StopEndsASample) {
  FakeRotation::Log log;
  CallCosts costs(std::make_unique<FakeRotation>(log), options(), kTheirs);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_FALSE(costs.sample(stop.get_token()).has_value());
  EXPECT_FALSE(costs.pair(stop.get_token()).has_value());
}

} // namespace
} // namespace sartor
