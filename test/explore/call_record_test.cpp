// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "explore/measure/call_record.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sartor {
namespace {

using testing::DoubleEq;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::uint64_t kPlan = 7;

dispatch::RotationSample sample(std::uint16_t thread, std::uint64_t round, std::uint16_t lane,
                                std::uint64_t ticks, std::uint32_t calls = 1) {
  return {kPlan, round, ticks, calls, lane, thread};
}

TEST(CallRecordTest, PairsWithinARoundOfAThread) {
  CallRecord record(kPlan, 2);
  record.add(sample(0, 1, 0, 100));
  record.add(sample(0, 1, 1, 200));
  EXPECT_THAT(record.of(0), ElementsAre(DoubleEq(std::log(100))));
  EXPECT_THAT(record.of(1), ElementsAre(DoubleEq(std::log(200.0) - std::log(100))));
}

TEST(CallRecordTest, PairsWhicheverComesFirst) {
  CallRecord record(kPlan, 3);
  record.add(sample(0, 1, 2, 50));
  record.add(sample(0, 1, 0, 100));
  record.add(sample(0, 1, 1, 100));
  EXPECT_THAT(record.of(1), ElementsAre(DoubleEq(0)));
  EXPECT_THAT(record.of(2), ElementsAre(DoubleEq(std::log(50.0) - std::log(100))));
}

TEST(CallRecordTest, CountsTicksByTheCall) {
  CallRecord record(kPlan, 2);
  record.add(sample(0, 1, 0, 3200, 32));
  record.add(sample(0, 1, 1, 300, 3)); // cut off early
  EXPECT_THAT(record.of(1), ElementsAre(DoubleEq(0)));
}

TEST(CallRecordTest, DoesNotPairAcrossRounds) {
  CallRecord record(kPlan, 2);
  record.add(sample(0, 1, 0, 100));
  record.add(sample(0, 2, 1, 200)); // the rest of round 1 was dropped
  EXPECT_THAT(record.of(1), IsEmpty());
}

TEST(CallRecordTest, DoesNotPairAcrossThreads) {
  CallRecord record(kPlan, 2);
  record.add(sample(0, 1, 0, 100));
  record.add(sample(1, 1, 1, 200));
  record.add(sample(1, 1, 0, 400));
  EXPECT_THAT(record.of(1), ElementsAre(DoubleEq(std::log(0.5))));
}

TEST(CallRecordTest, RefusesSamplesOfAnotherPlan) {
  CallRecord record(kPlan, 2);
  auto old = sample(0, 1, 0, 100);
  old.plan = kPlan - 1;
  EXPECT_FALSE(record.add(old));
  EXPECT_TRUE(record.add(sample(0, 1, 0, 100)));
}

TEST(CallRecordTest, GoesOnWithARoundAfterBeingCleared) {
  CallRecord record(kPlan, 2);
  record.add(sample(0, 1, 0, 100));
  record.clear();
  record.add(sample(0, 1, 1, 200));
  EXPECT_THAT(record.of(0), IsEmpty());
  EXPECT_EQ(record.of(1).size(), 1U);
}

TEST(MiddleOf, DoesNotMindABurst) {
  EXPECT_DOUBLE_EQ(middle_of({1, 1, 1, 1, 1, 1, 1, 1000}), 1);
  EXPECT_DOUBLE_EQ(middle_of({2}), 2);
}

} // namespace
} // namespace sartor
