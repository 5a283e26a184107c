// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/objective/counter_window.h"

#include <cmath>
#include <functional>
#include <gtest/gtest.h>

namespace sartor {
namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;

constexpr WindowLength window{.shortest = 20ms, .longest = 500ms, .events = 3};

/// Reads a window over a counter that is a function of the time since its start, on a simulated
/// clock.
ObjectiveSample read(const std::function<double(nanoseconds)> &counter, double hopeless_below = 0) {
  const CounterWindow::Time start{};
  CounterWindow reader(window, start, counter(0ns));
  for (nanoseconds now{}; !reader.over(hopeless_below);) {
    now += reader.nap();
    reader.read(start + now, counter(now));
  }
  return reader.measured();
}

/// A counter that increases by `step` every `period`, for the first time `phase` after the start.
std::function<double(nanoseconds)> ticking(nanoseconds period, nanoseconds phase, double step = 1) {
  return [=](nanoseconds time) {
    return step * static_cast<double>((time - phase + period) / period);
  };
}

TEST(CounterWindow, FastCounterIsReadForTheShortestTime) {
  const ObjectiveSample measured = read(ticking(10us, 0ns));
  EXPECT_NEAR(measured.value, 100'000, 100);
  EXPECT_DOUBLE_EQ(measured.seconds, 0.02);
}

TEST(CounterWindow, FastCounterIsReadSeldom) {
  int reads = 0;
  read([&](nanoseconds time) { return ++reads, time / 10us; });
  EXPECT_LE(reads, 10);
}

TEST(CounterWindow, SlowCounterIsNotRoundedToWholeEvents) {
  // Three events in 62 ms would count as 48 a second.
  EXPECT_NEAR(read(ticking(30ms, 1ms)).value, 1 / 0.030, 0.5);
}

TEST(CounterWindow, SlowCounterProlongsTheWindow) {
  const double seconds = read(ticking(30ms, 10ms)).seconds;
  EXPECT_GE(seconds, 0.070);
  EXPECT_LE(seconds, 0.072);
}

TEST(CounterWindow, CounterThatMovesInLargeStepsIsReadFromStepToStep) {
  EXPECT_NEAR(read(ticking(30ms, 1ms, 1000)).value, 1000 / 0.030, 500);
}

TEST(CounterWindow, CounterThatHardlyMovesEndsWithTheLongestWindow) {
  const ObjectiveSample measured = read(ticking(400ms, 100ms));
  EXPECT_GE(measured.seconds, 0.5);
  EXPECT_NEAR(measured.value, 1 / 0.4, 0.1);
}

TEST(CounterWindow, OneEventIsCountedOverTheWholeWindow) {
  // Twenty times the longest window: a second window may be needed.
  EXPECT_NEAR(read(ticking(100s, 100ms)).value, 1 / 10.0, 0.01);
}

TEST(CounterWindow, EventsThatTakeLongerThanTheLongestWindowHaveTheirRate) {
  EXPECT_NEAR(read(ticking(2s, 100ms)).value, 1 / 2.0, 0.01);
}

TEST(CounterWindow, CutOffBeforeTheFirstEventIsNotZero) {
  CounterWindow slow(window, {}, 0, 1);
  for (auto time = CounterWindow::Time{}; !slow.over(100); time += 1ms)
    slow.read(time, 0);
  EXPECT_GT(slow.measured().value, 0);
  EXPECT_LT(slow.measured().value, 100);
}

TEST(CounterWindow, CounterThatStandsStillHasNoRate) {
  const ObjectiveSample measured = read([](nanoseconds) { return 5; });
  EXPECT_EQ(measured.value, 0);
  EXPECT_GE(measured.seconds, 0.5);
}

TEST(CounterWindow, HopelessCounterIsCutOff) {
  // 10 a second cannot be reached any more after 100 ms; a first step is allowed 200 ms.
  const double seconds = read([](nanoseconds) { return 5; }, 10).seconds;
  EXPECT_GE(seconds, 0.1);
  EXPECT_LE(seconds, 0.202);
}

TEST(CounterWindow, CounterThatIsGoodEnoughIsNotCutOff) {
  EXPECT_NEAR(read(ticking(30ms, 1ms), 20).value, 1 / 0.030, 0.5);
}

TEST(CounterWindow, CounterThatIsSetBackEndsTheWindowAndSaysSo) {
  EXPECT_FALSE(read(ticking(10us, 0ns)).is_set_back);
  // The counter wraps at 12 ms, in the middle of a window.
  const auto wraps = [](nanoseconds time) {
    return static_cast<double>((time / 10us + 64'336) % 65'536);
  };
  const ObjectiveSample measured = read(wraps);
  EXPECT_TRUE(measured.is_set_back);
  EXPECT_LT(measured.seconds, 0.02);
}

} // namespace
} // namespace sartor
