// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/readers.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

#include <unistd.h>

#include <gtest/gtest.h>

#include <sartor/read_section.hpp>

namespace {

using sartor::base::GracePeriod;
using sartor::detail::epoch;

constexpr std::uint64_t kStep = 1U << 27; // of 2^32 epochs

/// As if so many grace periods had passed that the next one has a multiple of kStep.
void pass_many_grace_periods() {
  const std::uint64_t next = (((epoch.now >> 32U) / kStep) + 1) * kStep - 1;
  __atomic_store_n(&epoch.now, (next << 32U) + 1, __ATOMIC_RELEASE);
}

TEST(Readers, AreWaitedForHoweverManyGracePeriodsHavePassed) {
  std::atomic<pid_t> inside = 0;
  std::atomic<bool> ends = false;
  std::thread thread([&] {
    const sartor::detail::ReadSection section;
    inside = gettid();
    while (!ends)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  });
  while (inside == 0)
    std::this_thread::yield();
  for (int i = 0; i < 80; ++i) {
    pass_many_grace_periods();
    ASSERT_EQ(GracePeriod().reader(), inside) << i;
    ASSERT_EQ(GracePeriod().reader(), inside) << i;
  }
  ends = true;
  thread.join();
  EXPECT_EQ(GracePeriod().reader(), 0);
}

TEST(Readers, MayBeginAtAnyEpoch) {
  for (int i = 0; i < 80; ++i) {
    pass_many_grace_periods();
    const GracePeriod before;
    const sartor::detail::ReadSection section;
    ASSERT_EQ(before.reader(), 0) << i;
    ASSERT_EQ(GracePeriod().reader(), gettid()) << i;
  }
}

} // namespace
