// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/dispatch/rotation_block.h"

#include <map>
#include <memory>
#include <random>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sartor::runtime {
namespace {

using testing::Each;
using testing::Ge;
using testing::Le;

/// A simulated thread whose calls take a given number of ticks, without a stub and without real
/// time.
class Caller {
public:
  /// `ticks` of a call, by lane; the first is the incumbent.
  explicit Caller(const std::vector<std::uint64_t> &ticks, double budget = 0.05,
                  std::uint16_t number = 0)
      : ticks_(ticks), calls_by_lane(ticks.size()),
        block(std::make_unique<RotationBlock>(number, 0)), plan(2, ticks.size(), budget) {
    for (std::size_t lane = 0; lane < ticks.size(); ++lane)
      plan.lanes[lane].code = &ticks_[lane];
    block->enter(plan, 0);
  }

  void call(std::size_t times = 1) {
    for (std::size_t i = 0; i < times; ++i) {
      const std::uint64_t ticks = ticks_[lane_in_turn()];
      total += ticks;
      excess += ticks > ticks_[0] ? ticks - ticks_[0] : 0;
      call_for(ticks);
    }
  }

  /// Makes one call that takes `ticks`, whatever the lane.
  void call_for(std::uint64_t ticks) {
    ++calls_by_lane[lane_in_turn()];
    time_ += ticks;
    block->ticks += ticks;
    if (--block->left <= 0 || block->ticks >= block->most_ticks)
      block->next(plan, time_);
  }

  std::vector<RotationSample> take() const {
    std::vector<RotationSample> samples;
    RotationSample sample{};
    while (block->take(sample))
      samples.push_back(sample);
    return samples;
  }

  [[nodiscard]] std::size_t lane_in_turn() const {
    return static_cast<std::size_t>(static_cast<const std::uint64_t *>(block->code) -
                                    ticks_.data());
  }

private:
  std::vector<std::uint64_t> ticks_;
  std::uint64_t time_ = 0;

public:
  std::vector<std::size_t> calls_by_lane;
  std::uint64_t total = 0;
  std::uint64_t excess = 0;
  std::unique_ptr<RotationBlock> block;
  RotationPlan plan;
};

TEST(RotationBlockTest, BeginsWithTheIncumbent) { EXPECT_EQ(Caller({5, 1, 2}).lane_in_turn(), 0U); }

TEST(RotationBlockTest, GivesEveryLaneOneTurnARound) {
  Caller caller({100, 90, 80, 110});
  caller.call(3000);
  std::map<std::uint64_t, std::multiset<std::uint16_t>> rounds;
  for (const RotationSample &sample : caller.take())
    rounds[sample.round].insert(sample.lane);
  rounds.erase(std::prev(rounds.end())); // the round under way
  EXPECT_GT(rounds.size(), 5U);
  for (const auto &[round, lanes] : rounds)
    EXPECT_THAT(lanes, testing::ElementsAre(0, 1, 2, 3));
}

TEST(RotationBlockTest, TakesTurnsInAnotherOrderOnEachThread) {
  const auto order = [](std::uint16_t thread) {
    Caller caller({100, 100, 100, 100, 100, 100}, 0.05, thread);
    caller.call(2000);
    std::vector<std::uint16_t> lanes;
    for (const RotationSample &sample : caller.take())
      lanes.push_back(sample.lane);
    return lanes;
  };
  EXPECT_NE(order(0), order(1));
}

TEST(RotationBlockTest, WritesDownWhatCallsTook) {
  Caller caller({100, 70});
  caller.call(2000);
  for (const RotationSample &sample : caller.take())
    EXPECT_EQ(sample.ticks, sample.calls * (sample.lane == 0 ? 100 : 70));
}

TEST(RotationBlockTest, LeavesOutTheTimer) {
  RotationBlock block(0, 30);
  RotationPlan plan(2, 1, 0.05);
  block.enter(plan, 0);
  for (unsigned i = 0; i < 20; ++i) {
    block.ticks += 130;
    if (--block.left <= 0)
      block.next(plan, (i + 1) * std::uint64_t{130});
  }
  RotationSample sample{};
  ASSERT_TRUE(block.take(sample));
  EXPECT_EQ(sample.ticks, 100U * sample.calls);
}

TEST(RotationBlockTest, KeepsToTheBudget) {
  Caller caller({100, 200, 200, 200, 100, 100, 100});
  for (int i = 0; i < 500; ++i) {
    caller.call(200);
    caller.take();
  }
  EXPECT_LE(static_cast<double>(caller.excess), 0.055 * static_cast<double>(caller.total));
  EXPECT_THAT(caller.calls_by_lane, Each(Ge(100U)));
}

TEST(RotationBlockTest, CutsAVariantThatIsAHundredTimesSlower) {
  Caller caller({100, 10'000});
  for (int i = 0; i < 500; ++i) {
    caller.call(200);
    for (const RotationSample &sample : caller.take())
      if (sample.lane == 1)
        EXPECT_LE(sample.calls, 2U);
  }
  EXPECT_GE(caller.calls_by_lane[1], 3U);
  EXPECT_LE(static_cast<double>(caller.excess), 0.055 * static_cast<double>(caller.total));
}

TEST(RotationBlockTest, CountsRareExpensiveCallsAsOftenAsTheyCome) {
  // One call in a hundred of either lane takes as long as two batches. Each batch with such a call
  // is cut off, and batches that warm up must not count more of them than of cheap calls.
  Caller caller({100, 100}, 1);
  std::mt19937_64 random(3);
  double sum[2] = {0, 0}, calls[2] = {0, 0};
  for (int i = 0; i < 3'000'000; ++i) {
    caller.call_for(random() % 100 == 0 ? 10'000 : 100);
    for (const RotationSample &sample : caller.take()) {
      sum[sample.lane] += static_cast<double>(sample.ticks);
      calls[sample.lane] += sample.calls;
    }
  }
  EXPECT_NEAR(sum[0] / calls[0], 199, 3);
  EXPECT_NEAR(sum[1] / calls[1], 199, 3);
}

TEST(RotationBlockTest, CountsAllCalls) {
  Caller caller({100, 150, 50});
  caller.call(5000);
  std::uint64_t last = 0;
  for (const RotationSample &sample : caller.take()) {
    EXPECT_GT(sample.calls_so_far, last);
    last = sample.calls_so_far;
  }
  EXPECT_GT(last, 4900U);
  EXPECT_LE(last, 5000U);
}

TEST(RotationBlockTest, DoesNotPayForWhatIsBetterThanTheIncumbent) {
  Caller caller({100, 50, 20});
  caller.call(6000);
  const auto [least, most] = std::ranges::minmax(caller.calls_by_lane);
  EXPECT_LT(most - least, 100U);
}

TEST(RotationBlockTest, GivesALaneThatIsLeftOutNoMoreTurns) {
  Caller caller({100, 100, 100});
  caller.call(1000);
  caller.plan.lanes[2].out = true;
  caller.call(100); // the turn under way
  const std::size_t before = caller.calls_by_lane[2];
  caller.call(1000);
  EXPECT_EQ(caller.calls_by_lane[2], before);
  EXPECT_GT(caller.calls_by_lane[1], 300U);
  caller.plan.lanes[2].out = false;
  caller.call(1000);
  EXPECT_GT(caller.calls_by_lane[2], before) << "it may come back";
}

TEST(RotationBlockTest, StaysWithTheIncumbentWhileNobodyTakesSamples) {
  Caller caller({100, 90});
  caller.call(60'000);
  const std::size_t before = caller.calls_by_lane[1];
  caller.call(10'000);
  EXPECT_EQ(caller.calls_by_lane[1], before);
  EXPECT_THAT(caller.take().size(), Le(RotationBlock::kRing));
  caller.call(10'000);
  EXPECT_GT(caller.calls_by_lane[1], before);
}

TEST(RotationBlockTest, BeginsANewRoundWithANewPlan) {
  Caller caller({100, 90});
  caller.call(50);
  const RotationPlan other(3, 1, 0.05);
  caller.block->enter(other, 0);
  EXPECT_EQ(caller.block->plan(), 3U);
  for (int i = 0; i < 100; ++i)
    if (--caller.block->left <= 0)
      caller.block->next(other, 0);
  std::map<std::uint64_t, std::set<std::uint64_t>> plans_by_round;
  for (const RotationSample &sample : caller.take())
    plans_by_round[sample.round].insert(sample.plan);
  for (const auto &[round, plans] : plans_by_round)
    EXPECT_EQ(plans.size(), 1U);
}

} // namespace
} // namespace sartor::runtime
