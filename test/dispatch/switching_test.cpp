// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <chrono>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <sartor/sartor.hpp>

#include "handlers.h"

namespace {

constexpr std::uint64_t kKeys[] = {3, 5, 7, 11};
constexpr int kThreads = 3;
constexpr int kSwitches = 3000;

std::uint64_t expected(std::uint64_t state, std::uint64_t key) {
  return (state ^ (state >> 7)) * key + 1;
}

/// Results of one thread's calls.
struct Tally {
  std::uint64_t made = 0;
  std::uint64_t counted = 0; ///< Counted by the handler.
  std::uint64_t wrong = 0;
};

template <class Call> void call_once(Call call, Tally &tally) {
  const std::uint64_t state = tally.made * 0x9e3779b97f4a7c15;
  const std::uint64_t key = kKeys[tally.made % std::size(kKeys)];
  ++tally.made;
  if (call(state, key, &tally.counted) != expected(state, key))
    ++tally.wrong;
}

/// Switches between variants while threads call; no call may be lost, made twice, or wrong.
template <class MakeCall> void switch_under_load(MakeCall make_call) {
  sartor::Runtime runtime;
  std::vector<sartor::Configuration> configurations{{}};
  for (const std::uint64_t key : kKeys)
    configurations.push_back({{"key", key}});
  configurations.push_back({{"key", sartor::any_of({3, 7})}});
  for (const auto &configuration : configurations)
    runtime.prepare(configuration).get();

  std::atomic<bool> stop = false;
  std::atomic<int> started = 0;
  std::vector<Tally> tallies(kThreads);
  std::vector<std::thread> threads;
  for (Tally &tally : tallies)
    threads.emplace_back([&, call = make_call(runtime)] {
      call_once(call, tally);
      ++started;
      while (!stop)
        call_once(call, tally);
    });
  while (started < kThreads)
    std::this_thread::yield();
  const auto before = runtime.statistics().switches;
  for (std::size_t i = 1; i <= kSwitches; ++i)
    runtime.specialize(configurations[i % configurations.size()]);
  EXPECT_EQ(runtime.statistics().switches, before + kSwitches);
  stop = true;
  for (std::thread &thread : threads)
    thread.join();
  for (const Tally &tally : tallies) {
    EXPECT_GT(tally.made, 0U);
    EXPECT_EQ(tally.counted, tally.made);
    EXPECT_EQ(tally.wrong, 0U);
  }
}

TEST(SwitchingUnderLoad, LosesNoCallThroughTheHandle) {
  switch_under_load([](sartor::Runtime &runtime) { return runtime.handler<&step>(); });
}

TEST(SwitchingUnderLoad, LosesNoCallThroughThePlainFunction) {
  switch_under_load([](sartor::Runtime &runtime) { return runtime.handler<&step>().function(); });
}

/// Waits until the condition is true; false after a minute.
template <class Condition> bool eventually(Condition condition) {
  for (int i = 0; i < 60'000; ++i) {
    if (condition())
      return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

sartor::Options without_cache() {
  sartor::Options options;
  options.code_cache_bytes = 1; // keeps only the newest variant
  options.quick_tier = false;
  return options;
}

TEST(SwitchingUnderLoad, ReleasesVariantsThatAreCompiledAnewEachTime) {
  sartor::Runtime runtime(without_cache());
  std::atomic<bool> stop = false;
  Tally tally;
  std::thread caller([&, call = runtime.handler<&step>()] {
    while (!stop)
      call_once(call, tally);
  });
  for (std::uint64_t key = 100; key < 150; ++key)
    runtime.specialize({{"key", key}});
  stop = true;
  caller.join();
  EXPECT_EQ(tally.wrong, 0U);
  EXPECT_TRUE(eventually([&] { return runtime.statistics().reclaimed == 49; }));
  EXPECT_EQ(runtime.statistics().variants, 1U);
}

template <class MakeCall> void hold_a_variant(MakeCall make_call) {
  sartor::Runtime runtime(without_cache());
  auto call = make_call(runtime);
  runtime.specialize({{"value", sartor::unguarded(1)}});
  const auto before = runtime.statistics();
  std::atomic<bool> inside = false;
  std::atomic<bool> leave = false;
  int result = 0;
  std::thread caller([&] { result = call(0, &inside, &leave); });
  while (!inside) {
  }
  for (int value = 2; value <= 5; ++value)
    runtime.specialize({{"value", sartor::unguarded(value)}});
  std::atomic<bool> other_inside = false;
  std::atomic<bool> not_held = true;
  EXPECT_EQ(call(0, &other_inside, &not_held), 5);
  // Five variants of the value exist, and the first is running. A grace period that began after the
  // first switch cannot end, so no variant is released.
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_EQ(runtime.statistics().reclaimed, before.reclaimed);
  EXPECT_EQ(runtime.statistics().variants, before.variants + 4);
  leave = true;
  caller.join();
  EXPECT_EQ(result, 1);
  EXPECT_TRUE(eventually([&] { return runtime.statistics().reclaimed == before.reclaimed + 4; }));
  EXPECT_EQ(runtime.statistics().variants, before.variants);
}

TEST(AHandlerThatIsBeingRun, KeepsItsVariantUntilItLeaves) {
  hold_a_variant([](sartor::Runtime &runtime) { return runtime.handler<&wait_inside>(); });
}

TEST(AHandlerThatIsBeingRun, KeepsItsVariantThroughThePlainFunction) {
  hold_a_variant(
      [](sartor::Runtime &runtime) { return runtime.handler<&wait_inside>().function(); });
}

TEST(Threads, ThatExitDoNotHoldVariants) {
  sartor::Runtime runtime(without_cache());
  auto call = runtime.handler<&step>();
  auto *function = call.function();
  const auto before = runtime.statistics();
  std::uint64_t wrong = 0;
  for (std::uint64_t round = 0; round < 20; ++round) {
    runtime.specialize({{"key", round}});
    std::thread([&] {
      Tally tally;
      call_once(call, tally);
      call_once(function, tally);
      wrong += tally.wrong;
    }).join();
  }
  EXPECT_EQ(wrong, 0U);
  EXPECT_TRUE(eventually([&] { return runtime.statistics().reclaimed == before.reclaimed + 19; }));
}

TEST(Threads, MayAllAskForConfigurationsAtOnce) {
  sartor::Runtime runtime;
  auto call = runtime.handler<&step>();
  std::vector<std::thread> threads;
  std::atomic<std::uint64_t> wrong = 0;
  for (int i = 0; i < kThreads; ++i)
    threads.emplace_back([&, i] {
      Tally tally;
      for (int round = 0; round < 50; ++round) {
        runtime.specialize({{"key", kKeys[static_cast<std::size_t>(i + round) % 4]}});
        call_once(call, tally);
        (void)runtime.statistics();
        (void)runtime.configuration();
      }
      wrong += tally.wrong;
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0U);
  EXPECT_EQ(runtime.statistics().failures, 0U);
}

} // namespace
