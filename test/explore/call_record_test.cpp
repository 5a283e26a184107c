// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/measure/call_record.h"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sartor {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::uint64_t kPlan = 7;

runtime::RotationSample sample(std::uint16_t thread, std::uint64_t round, std::uint16_t lane,
                               std::uint64_t ticks, std::uint32_t calls = 1) {
  return {kPlan, round, ticks, calls, lane, thread};
}

std::vector<double> costs(std::span<const Sample> samples) {
  std::vector<double> all;
  for (const Sample &sample : samples)
    all.push_back(1 / sample.score);
  return all;
}
std::vector<double> ours(const CallRecord &record, std::size_t lane) {
  return costs(record.pairs(lane).ours);
}
std::vector<double> incumbents(const CallRecord &record, std::size_t lane) {
  return costs(record.pairs(lane).incumbents);
}

TEST(CallRecordTest, PairsWithinARoundOfAThread) {
  CallRecord record(kPlan, 2);
  record.add(sample(0, 1, 0, 100));
  record.add(sample(0, 1, 1, 200));
  EXPECT_THAT(costs(record.of(0)), ElementsAre(100));
  EXPECT_THAT(ours(record, 1), ElementsAre(200));
  EXPECT_THAT(incumbents(record, 1), ElementsAre(100));
}

TEST(CallRecordTest, PairsWhicheverComesFirst) {
  CallRecord record(kPlan, 3);
  record.add(sample(0, 1, 2, 50));
  record.add(sample(0, 1, 0, 100));
  record.add(sample(0, 1, 1, 125));
  EXPECT_THAT(ours(record, 1), ElementsAre(125));
  EXPECT_THAT(ours(record, 2), ElementsAre(50));
  EXPECT_THAT(incumbents(record, 2), ElementsAre(100));
}

TEST(CallRecordTest, IsCallsByTicks) {
  CallRecord record(kPlan, 2);
  record.add(sample(0, 1, 0, 3200, 32));
  record.add(sample(0, 1, 1, 300, 3)); // cut off early
  EXPECT_THAT(ours(record, 1), ElementsAre(100));
  EXPECT_EQ(record.of(1).front().weight, 300);
}

TEST(CallRecordTest, DoesNotPairAcrossRounds) {
  CallRecord record(kPlan, 2);
  record.add(sample(0, 1, 0, 100));
  record.add(sample(0, 2, 1, 200)); // the rest of round 1 was dropped
  EXPECT_THAT(ours(record, 1), IsEmpty());
  EXPECT_THAT(costs(record.of(1)), ElementsAre(200)) << "on the whole, it counts";
}

TEST(CallRecordTest, DoesNotPairAcrossThreads) {
  CallRecord record(kPlan, 2);
  record.add(sample(0, 1, 0, 100));
  record.add(sample(1, 1, 1, 200));
  record.add(sample(1, 1, 0, 400));
  EXPECT_THAT(incumbents(record, 1), ElementsAre(400));
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
  EXPECT_EQ(record.pairs(1).ours.size(), 1U);
}

TEST(CallRecordTest, KnowsHowOftenTheHandlerWasCalled) {
  CallRecord record(kPlan, 2);
  auto batch = sample(0, 1, 0, 3200, 32);
  batch.calls_so_far = 34;
  record.add(batch);
  batch.calls_so_far = 100; // some calls were not measured
  record.add(batch);
  batch.thread = 1;
  record.add(batch);
  EXPECT_EQ(record.calls(), 200U);
}

} // namespace
} // namespace sartor
