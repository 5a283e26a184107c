// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Calls of every kind while variants are rotated: all give the results of the native code.
#include "runtime/dispatch/call_rotation.h"

#include <atomic>
#include <csignal>
#include <functional>
#include <map>
#include <set>
#include <thread>

#include <pthread.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sartor/sartor.hpp>

#include "handlers.h"
#include "handlers/language.h"
#include "rotated_handlers.h"
#include "runtime/dispatch/retire.h"

void throw_number(int x) { throw x; }

namespace {

using sartor::Configuration;
using sartor::Runtime;
using sartor::runtime::RotationSample;

constexpr double kBudget = 0.05;

/// A rotation that runs during its lifetime.
class Rotating {
public:
  Rotating(Runtime &runtime, const std::string &handler, const std::vector<Configuration> &others)
      : rotation_(sartor::rotate_calls(runtime, handler)) {
    start(others);
  }

  void start(const std::vector<Configuration> &others) {
    const auto started = rotation_->start(others, kBudget);
    ASSERT_TRUE(started) << started.error().text();
    for (const auto &failure : started->failures)
      EXPECT_FALSE(failure) << failure->text();
  }

  std::vector<RotationSample> take() {
    std::vector<RotationSample> samples;
    is_on = rotation_->take(samples);
    return samples;
  }

  sartor::CallRotation &operator*() { return *rotation_; }
  sartor::CallRotation *operator->() { return rotation_.get(); }

  bool is_on = true;

private:
  std::unique_ptr<sartor::CallRotation> rotation_;
};

std::set<int> lanes_of(const std::vector<RotationSample> &samples) {
  std::set<int> lanes;
  for (const RotationSample &sample : samples)
    lanes.insert(sample.lane);
  return lanes;
}

std::uint64_t calls_of(const std::vector<RotationSample> &samples) {
  std::uint64_t calls = 0;
  for (const RotationSample &sample : samples)
    calls += sample.calls;
  return calls;
}

/// Returns true if all lanes get turns while `calls` goes on. The first calls of lanes are cold,
/// and calls of the incumbent must pay for them.
template <class Calls> bool gets_all_lanes(Rotating &rotating, std::size_t lanes, Calls calls) {
  std::set<int> seen;
  for (int i = 0; i < 3000 && seen.size() < lanes; ++i) {
    calls();
    seen.merge(lanes_of(rotating.take()));
  }
  return seen.size() == lanes;
}

/// Results of one thread's calls of step().
struct Tally {
  std::uint64_t made = 0;
  std::uint64_t counted = 0; ///< Counted by the handler.
  std::uint64_t wrong = 0;

  template <class Call> void call_once(Call call) {
    const std::uint64_t state = made * 0x9e3779b97f4a7c15;
    const std::uint64_t key = 3 + made % 5;
    ++made;
    if (call(state, key, &counted) != (state ^ (state >> 7)) * key + 1)
      ++wrong;
  }
};

const std::vector<Configuration> kKeys = {
    {{"key", 3}}, {{"key", 5}}, {{"key", sartor::any_of({4, 7})}}};

TEST(Rotating, DoesWhatTheNativeCodeDoesOnEveryThreadWhileAllChanges) {
  Runtime runtime;
  auto handle = runtime.handler<&step>();
  auto *function = handle.function();
  Rotating rotating(runtime, "step", kKeys);
  std::atomic<bool> stop = false;
  std::atomic<std::size_t> started = 0;
  std::vector<Tally> tallies(3);
  std::vector<std::thread> threads;
  for (Tally &tally : tallies)
    threads.emplace_back([&] {
      tally.call_once(handle);
      ++started;
      while (!stop) {
        tally.call_once(handle);
        tally.call_once(function);
      }
    });
  while (started < tallies.size())
    std::this_thread::yield();
  std::uint64_t samples = 0;
  std::vector<Configuration> others = kKeys;
  for (int i = 0; i < 400 || samples < 1000; ++i) {
    samples += rotating.take().size();
    switch (i % 4) {
    case 0:
      rotating->set_out(1, true);
      break;
    case 1:
      rotating->activate(kKeys[static_cast<std::size_t>(i) % 3]);
      break;
    case 2:
      rotating->stop();
      break;
    default:
      std::rotate(others.begin(), others.begin() + 1, others.end());
      rotating.start({others.begin(), others.begin() + 1 + i % 3});
      std::this_thread::sleep_for(std::chrono::microseconds(300));
    }
  }
  stop = true;
  for (std::thread &thread : threads)
    thread.join();
  for (const Tally &tally : tallies) {
    EXPECT_GT(tally.made, 0U);
    EXPECT_EQ(tally.counted, tally.made);
    EXPECT_EQ(tally.wrong, 0U);
  }
}

TEST(Rotating, RunsEachVariantOnceInARoundOfEachThread) {
  Runtime runtime;
  auto call = runtime.handler<&step>();
  Rotating rotating(runtime, "step", kKeys);
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i)
    threads.emplace_back([&] {
      Tally tally;
      for (int n = 0; n < 20'000; ++n)
        tally.call_once(call);
    });
  for (std::thread &thread : threads)
    thread.join();
  std::map<std::pair<int, std::uint64_t>, std::multiset<int>> rounds;
  for (const RotationSample &sample : rotating.take())
    rounds[{sample.thread, sample.round}].insert(sample.lane);
  std::size_t complete = 0;
  for (const auto &[round, lanes] : rounds) {
    EXPECT_EQ(std::set<int>(lanes.begin(), lanes.end()).size(), lanes.size());
    complete += lanes.size() == 4;
  }
  EXPECT_GT(complete, 3U);
}

TEST(Rotating, PassesArgumentsAndResultsOfAllKinds) {
  Runtime runtime;
  const auto add = runtime.handler<&add_to_all>();
  const auto sum = runtime.handler<&mixed>();
  const auto join = runtime.handler<&joined>();
  Rotating first(runtime, "add_to_all", {{{"amount", 1}}, {{"amount", 3}}});
  Rotating second(runtime, "mixed", {{{"mode_f", 0.5}}, {{"mode_f", 1.5}}});
  Rotating third(runtime, "joined", {{{"mode", 1}}, {{"mode", 2}}});
  EXPECT_TRUE(gets_all_lanes(first, 3, [&] {
    for (std::uint64_t i = 0; i < 100; ++i) {
      Big big{};
      big.words[11] = i;
      EXPECT_EQ(add(big, 1 + i % 4).words[11], i + 1 + i % 4);
    }
  }));
  EXPECT_TRUE(gets_all_lanes(second, 3, [&] {
    for (int i = 0; i < 100; ++i)
      EXPECT_EQ(sum(-1, -2, 3.5F, 4.25, 5, -6, 7, 8, i % 3), 18.75 + i % 3);
  }));
  EXPECT_TRUE(gets_all_lanes(third, 3, [&] {
    for (int i = 0; i < 100; ++i)
      EXPECT_EQ(join("long enough for the heap ", 1 + i % 2).size(), 25U * (1U + i % 2));
  }));
}

TEST(Rotating, LetsExceptionsThroughAndGoesOnTiming) {
  Runtime runtime;
  const auto call = runtime.handler<&throws_at>();
  auto *function = call.function();
  Rotating rotating(runtime, "throws_at", {{{"mode", 2}}, {{"mode", 3}}});
  EXPECT_TRUE(gets_all_lanes(rotating, 3, [&] {
    for (int i = 0; i < 10; ++i) {
      EXPECT_THROW(call(2, 2), std::string);
      EXPECT_THROW(function(3, 3), std::string);
      EXPECT_EQ(sartor::detail::reader->word & sartor::detail::kNesting, 0U);
    }
    EXPECT_EQ(call(1, 2), 1);
  }));
}

TEST(Rotating, TimesTheOutermostCallOfAHandlerThatCallsItself) {
  Runtime runtime;
  const CountDown function = runtime.handler<&count_down>().function();
  void *self = reinterpret_cast<void *>(function);
  Rotating rotating(runtime, "count_down", {{{"by", 1}}, {{"by", 2}}, {{"by", 3}}});
  const auto count = [&] {
    for (int i = 0; i < 500; ++i)
      EXPECT_EQ(function(12, 1 + i % 3, self), 12 / (1 + i % 3));
  };
  count();
  EXPECT_LE(calls_of(rotating.take()), 500U);
  EXPECT_TRUE(gets_all_lanes(rotating, 4, count));
}

TEST(Rotating, ChangesPlansInTheMiddleOfACall) {
  Runtime runtime;
  const auto call = runtime.handler<&wait_inside>();
  Rotating rotating(runtime, "wait_inside", {{{"value", 1}}});
  std::atomic<bool> inside = false;
  std::atomic<bool> leave = false;
  int result = 0;
  std::thread caller([&] { result = call(7, &inside, &leave); });
  while (!inside) {
  }
  rotating.start({{{"value", 2}}, {{"value", 3}}});
  rotating->stop();
  rotating.start({{{"value", 4}}});
  leave = true;
  caller.join();
  EXPECT_EQ(result, 7);
  EXPECT_TRUE(gets_all_lanes(rotating, 2, [&] {
    for (int i = 0; i < 100; ++i) {
      std::atomic<bool> other = false;
      EXPECT_EQ(call(i % 5, &other, &leave), i % 5);
    }
  }));
}

/// Called by a signal handler.
std::function<void()> on_signal;

TEST(Rotating, AllowsCallsInASignalHandler) {
  Runtime runtime;
  const auto call = runtime.handler<&step>();
  Rotating rotating(runtime, "step", kKeys);
  Tally in_signals;
  Tally outside;
  on_signal = [&] { in_signals.call_once(call); };
  std::signal(SIGUSR1, [](int) { on_signal(); });
  std::atomic<bool> is_registered = false;
  std::atomic<bool> stop = false;
  std::thread caller([&] {
    outside.call_once(call); // the first call of a thread registers it
    is_registered = true;
    while (!stop)
      outside.call_once(call);
  });
  while (!is_registered)
    std::this_thread::yield();
  for (int i = 0; i < 300; ++i) {
    pthread_kill(caller.native_handle(), SIGUSR1);
    std::this_thread::sleep_for(std::chrono::microseconds(100));
    if (i % 50 == 0)
      rotating.start(kKeys);
    (void)rotating.take();
  }
  stop = true;
  caller.join();
  std::signal(SIGUSR1, SIG_DFL);
  on_signal = {};
  EXPECT_GT(in_signals.made, 0U);
  EXPECT_EQ(in_signals.wrong + outside.wrong, 0U);
  EXPECT_EQ(in_signals.counted, in_signals.made);
  EXPECT_EQ(outside.counted, outside.made);
}

TEST(Rotating, GivesTheBlockOfAThreadThatEndsToTheNext) {
  Runtime runtime;
  const auto call = runtime.handler<&step>();
  Rotating rotating(runtime, "step", kKeys);
  std::set<std::pair<std::uint64_t, int>> turns;
  for (int i = 0; i < 30; ++i) {
    Tally tally;
    std::thread([&] {
      for (int n = 0; n < 53; ++n) // 53 calls end in the middle of a round
        tally.call_once(call);
    }).join();
    EXPECT_EQ(tally.wrong, 0U);
  }
  const auto samples = rotating.take();
  EXPECT_FALSE(samples.empty());
  for (const RotationSample &sample : samples) {
    EXPECT_EQ(sample.thread, 0U);
    EXPECT_TRUE(turns.emplace(sample.round, sample.lane).second) << "a round came again";
  }
}

TEST(Rotating, ReleasesVariantsWhenItEnds) {
  sartor::Options options;
  options.code_cache_bytes = 1; // keeps only the newest variant
  options.quick_tier = false;
  Runtime runtime(options);
  const auto call = runtime.handler<&step>();
  {
    Rotating rotating(runtime, "step", kKeys);
    Tally tally;
    EXPECT_TRUE(gets_all_lanes(rotating, 4, [&] {
      for (int i = 0; i < 1000; ++i)
        tally.call_once(call);
    }));
  }
  sartor::runtime::wait_for_retired();
  // The stub and the cached variant remain.
  EXPECT_LE(runtime.statistics().variants, 2U + runtime.handlers().size());
  EXPECT_GE(runtime.statistics().reclaimed, 2U);
}

TEST(Rotating, LeavesTheIncumbentActive) {
  Runtime runtime;
  const auto call = runtime.handler<&wait_inside>();
  std::atomic<bool> flag = true;
  {
    Rotating rotating(runtime, "wait_inside", {});
    rotating->activate({{"value", sartor::unguarded(9)}});
    rotating.start({{{"value", 4}}});
  }
  EXPECT_EQ(call(1, &flag, &flag), 9);
}

TEST(Rotating, EndsWhenAnInvariantIsRevoked) {
  Runtime runtime;
  sartor::Invariant invariant;
  invariant.add(weights, sizeof weights);
  const auto call = runtime.handler<&weigh_all>();
  Rotating rotating(runtime, "weigh_all", {{{"scale", 1}}, {{"scale", 2}}});
  const auto expect_right = [&] {
    const std::int64_t sum = weights[0] + weights[1] + weights[2] + weights[3];
    for (int i = 0; i < 500; ++i)
      EXPECT_EQ(call(1 + i % 3), sum * (1 + i % 3));
  };
  EXPECT_TRUE(gets_all_lanes(rotating, 3, expect_right));
  invariant.invalidate();
  weights[2] += 10;
  expect_right();
  rotating.take();
  EXPECT_FALSE(rotating.is_on);
  rotating.start({{{"scale", 1}}, {{"scale", 2}}}); // compiled again, without the invariant
  expect_right();
}

TEST(Rotating, RefusesASecondRotationOfAHandler) {
  Runtime runtime;
  Rotating rotating(runtime, "step", kKeys);
  const auto other = sartor::rotate_calls(runtime, "step");
  const auto started = other->start(kKeys, kBudget);
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code, sartor::ErrorCode::bad_objective);
}

TEST(Rotating, SaysWhichConfigurationCannotBeHad) {
  Runtime runtime;
  const auto rotation = sartor::rotate_calls(runtime, "step");
  const std::vector<Configuration> others = {{{"key", 3}}, {{"no such label", 1}}};
  const auto started = rotation->start(others, kBudget);
  ASSERT_TRUE(started);
  EXPECT_FALSE(started->failures[0]);
  ASSERT_TRUE(started->failures[1]);
  EXPECT_EQ(started->failures[1]->code, sartor::ErrorCode::unknown_label);
}

sartor::ErrorCode refusal(const std::string &handler) {
  Runtime runtime;
  try {
    sartor::rotate_calls(runtime, handler);
  } catch (const sartor::Error &error) {
    return error.code();
  }
  return {};
}

TEST(Rotating, RefusesAHandlerThatThereIsNot) {
  EXPECT_EQ(refusal("no_such_handler"), sartor::ErrorCode::unknown_handler);
}

TEST(Rotating, RefusesAVariableNumberOfArguments) {
  EXPECT_EQ(refusal("variadic"), sartor::ErrorCode::point_not_specializable);
}

TEST(Rotating, WantsANameWhereSeveralHandlersHavePoints) {
  EXPECT_EQ(refusal(""), sartor::ErrorCode::bad_objective);
}

} // namespace
