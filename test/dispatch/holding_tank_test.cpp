// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/dispatch/holding_tank.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include <immintrin.h>

#include <gtest/gtest.h>
#include <sartor/read_section.hpp>

#include "runtime/dispatch/entry.h"
#include "runtime/dispatch/retire.h"

namespace sartor::runtime {
namespace {

using namespace std::chrono_literals;

long plain(long a, long b, long c, long d, long e, long f, long g) {
  return a + 2 * b + 3 * c + 5 * d + 7 * e + 11 * f + 13 * g;
}

/// Calls an entry in the way a handle does.
long call(const Entry &entry, long a) {
  const detail::ReadSection section;
  return reinterpret_cast<decltype(&plain)>(entry.code.load())(a, 2, 3, 4, 5, 6, 7);
}

template <class Condition> void wait_until(const Condition &condition) {
  while (!condition())
    std::this_thread::sleep_for(100us);
}

class HoldingTankTest : public testing::Test {
protected:
  ~HoldingTankTest() override { wait_for_retired(); }

  Entry entry_{"f", reinterpret_cast<void *>(&plain)};
  std::shared_ptr<HeldCallers> count_ = std::make_shared<HeldCallers>();
};

TEST_F(HoldingTankTest, HoldsNewCallsUntilTheyAreLetGo) {
  ASSERT_TRUE(entry_.hold({1h, count_}));
  std::atomic<int> through = 0;
  std::vector<std::thread> callers;
  for (int i = 0; i < 4; ++i)
    callers.emplace_back([&] {
      EXPECT_EQ(call(entry_, 1), plain(1, 2, 3, 4, 5, 6, 7));
      ++through;
    });
  wait_until([&] { return entry_.tank()->held() == 4; });
  EXPECT_EQ(through, 0);
  EXPECT_FALSE(wait_for_running_readers()); // does not wait for held callers
  entry_.let_go();
  for (std::thread &caller : callers)
    caller.join();
  EXPECT_EQ(count_->callers, 4U);
  EXPECT_EQ(entry_.code.load(), reinterpret_cast<void *>(&plain));
}

TEST_F(HoldingTankTest, LetsThemGoWhenTheTimeIsUp) {
  ASSERT_TRUE(entry_.hold({1ms, count_}));
  std::thread([&] { EXPECT_EQ(call(entry_, 1), plain(1, 2, 3, 4, 5, 6, 7)); }).join();
  wait_until([&] { return !entry_.tank()->is_in_time(); });
  std::thread([&] { EXPECT_EQ(call(entry_, 2), plain(2, 2, 3, 4, 5, 6, 7)); }).join();
  EXPECT_LE(count_->callers, 1U);
  entry_.let_go();
}

TEST_F(HoldingTankTest, DoesNotHoldTheThreadThatClosedIt) {
  ASSERT_TRUE(entry_.hold({1h, count_}));
  EXPECT_EQ(call(entry_, 1), plain(1, 2, 3, 4, 5, 6, 7));
  EXPECT_EQ(count_->callers, 0U);
  entry_.let_go();
}

TEST_F(HoldingTankTest, DoesNotHoldCallsWithinCalls) {
  ASSERT_TRUE(entry_.hold({1h, count_}));
  std::thread([&] {
    const detail::ReadSection outer;
    EXPECT_EQ(call(entry_, 1), plain(1, 2, 3, 4, 5, 6, 7));
  }).join();
  EXPECT_EQ(count_->callers, 0U);
  entry_.let_go();
}

TEST_F(HoldingTankTest, CallsWhatIsActivatedMeanwhile) {
  ASSERT_TRUE(entry_.hold({1h, count_}));
  std::atomic<long> got = 0;
  std::thread caller([&] { got = call(entry_, 1); });
  wait_until([&] { return entry_.tank()->held() == 1; });
  const auto other = [](long, long, long, long, long, long, long) -> long { return -1; };
  long (*const function)(long, long, long, long, long, long, long) = other;
  entry_.divert(reinterpret_cast<void *>(function));
  EXPECT_EQ(got, 0);
  entry_.let_go();
  caller.join();
  EXPECT_EQ(got, -1);
  entry_.divert(nullptr);
}

TEST_F(HoldingTankTest, HasSoManyPlacesAndReleasesThem) {
  for (int round = 0; round < 3; ++round) {
    std::vector<std::unique_ptr<Entry>> entries;
    std::size_t held = 0;
    for (int i = 0; i < 300; ++i) {
      entries.push_back(std::make_unique<Entry>("f", reinterpret_cast<void *>(&plain)));
      held += entries.back()->hold({1h, count_}) ? 1 : 0;
    }
    EXPECT_EQ(held, 256U);
    EXPECT_EQ(call(*entries.back(), 1), plain(1, 2, 3, 4, 5, 6, 7)); // the generic code
    entries.clear();
    wait_for_retired();
  }
}

[[gnu::target("avx")]] __m256d wide(__m256d a, __m256d b, __m256d c, __m256d d, __m256d e,
                                    __m256d f, __m256d g, __m256d h) {
  return a - b * 2 + c * 3 - d * 5 + e * 7 - f * 11 + g * 13 - h * 17;
}

[[gnu::target("avx")]] void check_wide(const Entry &entry) {
  const __m256d one = {1, 2, 3, 4}, two = {5, 6, 7, 8}, three = {9, 10, 11, 12};
  const auto code = reinterpret_cast<decltype(&wide)>(entry.code.load());
  const __m256d got = code(one, two, three, one, two, three, one, two);
  const __m256d expected = wide(one, two, three, one, two, three, one, two);
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(got[i], expected[i]) << i;
}

[[gnu::target("avx512f")]] __m512d wider(__m512d a, __m512d b, __m512d c, __m512d d, __m512d e,
                                         __m512d f, __m512d g, __m512d h) {
  return a - b * 2 + c * 3 - d * 5 + e * 7 - f * 11 + g * 13 - h * 17;
}

[[gnu::target("avx512f")]] void check_wider(const Entry &entry) {
  const __m512d one = {1, 2, 3, 4, 5, 6, 7, 8}, two = {9, 10, 11, 12, 13, 14, 15, 16};
  const auto code = reinterpret_cast<decltype(&wider)>(entry.code.load());
  const __m512d got = code(one, two, one, two, one, two, one, two);
  const __m512d expected = wider(one, two, one, two, one, two, one, two);
  for (int i = 0; i < 8; ++i)
    EXPECT_EQ(got[i], expected[i]) << i;
}

TEST_F(HoldingTankTest, KeepsVectorsWhole) {
  Entry entry("wide", reinterpret_cast<void *>(&wide)),
      more("wider", reinterpret_cast<void *>(&wider));
  ASSERT_TRUE(entry.hold({20ms, count_}));
  ASSERT_TRUE(more.hold({20ms, count_}));
  std::thread([&] { // is held, and clears its registers on the way
    if (__builtin_cpu_supports("avx")) {
      const detail::ReadSection section;
      check_wide(entry);
    }
    if (__builtin_cpu_supports("avx512f")) {
      const detail::ReadSection section;
      check_wider(more);
    }
  })
      .join();
  entry.let_go();
  more.let_go();
}

} // namespace
} // namespace sartor::runtime
