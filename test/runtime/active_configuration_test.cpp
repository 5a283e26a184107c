// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <chrono>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sartor/sartor.hpp>

#include "comes_true.h"
#include "handlers/arithmetic.h"

namespace {

using sartor::Configuration;
using testing::ElementsAre;

std::uint64_t failures(const sartor::Runtime &runtime, const char *label) {
  return runtime.statistics().guard_failures.at(label);
}

const sartor::VariantInfo *find(const std::vector<sartor::VariantInfo> &infos, const char *name) {
  auto found = std::ranges::find(infos, name, &sartor::VariantInfo::name);
  return found == infos.end() ? nullptr : &*found;
}

TEST(Specialize, ActivatesTheConfigurationBeforeItReturns) {
  sartor::Runtime runtime;
  auto call = runtime.handler<&scale>();
  const auto infos = runtime.specialize({{"factor", 3}});
  const auto *info = find(infos, "scale{factor=3}");
  ASSERT_NE(info, nullptr);
  EXPECT_EQ(info->configuration, (Configuration{{"factor", 3}}));
  EXPECT_GT(info->code_bytes, 0U);
  EXPECT_GT(info->compile_time.count(), 0);
  EXPECT_FALSE(info->quick);
  EXPECT_EQ(call(7, 3, 1), 21U);
  EXPECT_EQ(failures(runtime, "factor"), 0U);
  EXPECT_EQ(call(7, 5, 1), 35U);
  EXPECT_EQ(failures(runtime, "factor"), 1U);
}

TEST(Specialize, OfAnUnguardedSettingTakesTheValueOnTrust) {
  sartor::Runtime runtime;
  auto call = runtime.handler<&scale>();
  runtime.specialize({{"factor", sartor::unguarded(3)}});
  EXPECT_EQ(call(7, 2, 1), 21U);
}

TEST(Specialize, OfSeveralValuesMakesABodyForEach) {
  sartor::Runtime runtime;
  auto call = runtime.handler<&scale>();
  runtime.specialize({{"factor", sartor::any_of({2, 5})}});
  EXPECT_EQ(call(7, 2, 1), 14U);
  EXPECT_EQ(call(7, 5, 1), 35U);
  EXPECT_EQ(failures(runtime, "factor"), 0U);
  EXPECT_EQ(call(7, 3, 1), 21U);
  EXPECT_EQ(failures(runtime, "factor"), 1U);
}

TEST(Specialize, OfTheEmptyConfigurationGoesBackToTheNativeCode) {
  sartor::Runtime runtime;
  auto call = runtime.handler<&scale>();
  runtime.specialize({{"factor", sartor::unguarded(3)}});
  runtime.specialize({});
  EXPECT_EQ(call(7, 2, 1), 14U);
  EXPECT_TRUE(runtime.configuration().empty());
}

TEST(Specialize, GivesEachHandlerItsOwnLabelsOnly) {
  sartor::Runtime runtime;
  const auto infos = runtime.specialize({{"factor", 2}, {"offset", -4}});
  EXPECT_NE(find(infos, "scale{factor=2}"), nullptr);
  EXPECT_NE(find(infos, "shift{offset=-4}"), nullptr);
  EXPECT_NE(find(infos, "descend{}"), nullptr);
}

TEST(Specialize, SetsPointsThatShareALabelTogether) {
  sartor::Runtime runtime;
  auto scaled = runtime.handler<&scale>();
  auto shifted = runtime.handler<&shift>();
  runtime.specialize({{"common", sartor::unguarded(2)}});
  EXPECT_EQ(scaled(7, 3, 1), 22U);
  EXPECT_EQ(shifted(7, 3, 1), 11);
  const sartor::Space space = runtime.space();
  EXPECT_EQ(space.find("common")->sites.size(), 2U);
  EXPECT_THAT(space.find("common")->handlers, ElementsAre("_Z5scalemmj", "_Z5shiftiij"));
}

TEST(Specialize, ReachesAPointInAFunctionOfAnotherHandlerFile) {
  sartor::Runtime runtime;
  const sartor::Space space = runtime.space();
  const sartor::Point *weight = space.find("weight");
  ASSERT_NE(weight, nullptr);
  EXPECT_THAT(weight->handlers, ElementsAre("_Z12weighted_summmm"));
  auto call = runtime.handler<&weighted_sum>();
  runtime.specialize({{"weight", sartor::unguarded(10)}});
  EXPECT_EQ(call(2, 4, 1), 120U);
}

TEST(Specialize, SpecializesARecursiveHandler) {
  sartor::Runtime runtime;
  auto call = runtime.handler<&descend>();
  runtime.specialize({{"step", 2}});
  EXPECT_EQ(call(9, 2), 945U);
  EXPECT_EQ(failures(runtime, "step"), 0U);
  EXPECT_EQ(call(6, 1), 720U);
  EXPECT_GT(failures(runtime, "step"), 0U);
}

TEST(Specialize, GuardsAnAssumption) {
  sartor::Runtime runtime;
  auto call = runtime.handler<&when_ready>();
  runtime.specialize({{"ready", true}});
  EXPECT_EQ(call(true), 10);
  EXPECT_EQ(failures(runtime, "ready"), 0U);
  EXPECT_EQ(call(false), 20);
  EXPECT_EQ(failures(runtime, "ready"), 1U);
}

TEST(Specialize, InTheBackgroundIsActiveWhenTheFutureIsReady) {
  sartor::Runtime runtime;
  auto call = runtime.handler<&scale>();
  auto future = runtime.specialize_async({{"factor", sartor::unguarded(5)}});
  EXPECT_EQ(runtime.configuration(), (Configuration{{"factor", sartor::unguarded(5)}}));
  EXPECT_EQ(future.wait_for(std::chrono::minutes(1)), std::future_status::ready);
  EXPECT_EQ(call(7, 2, 1), 35U);
}

TEST(Specialize, TheNewestOfManyRequestsStaysActive) {
  sartor::Runtime runtime;
  auto call = runtime.handler<&scale>();
  std::vector<std::future<std::vector<sartor::VariantInfo>>> futures;
  for (int i = 0; i < 12; ++i)
    futures.push_back(runtime.specialize_async({{"factor", i % 2 ? 2 : 3}}));
  runtime.specialize({{"factor", sartor::unguarded(5)}});
  for (auto &future : futures)
    future.get();
  EXPECT_EQ(call(7, 2, 1), 35U);
  EXPECT_EQ(runtime.configuration(), (Configuration{{"factor", sartor::unguarded(5)}}));
}

TEST(Prepare, CompilesWithoutActivating) {
  sartor::Runtime runtime;
  auto call = runtime.handler<&scale>();
  runtime.prepare({{"factor", sartor::unguarded(3)}}).get();
  EXPECT_EQ(call(7, 2, 1), 14U);
  EXPECT_TRUE(runtime.configuration().empty());
  const auto compiles = runtime.statistics().compiles;
  runtime.specialize({{"factor", sartor::unguarded(3)}});
  EXPECT_EQ(call(7, 2, 1), 21U);
  EXPECT_EQ(runtime.statistics().compiles, compiles);
}

TEST(Specialize, AnswersAKnownConfigurationFromTheCache) {
  sartor::Runtime runtime;
  auto call = runtime.handler<&scale>();
  runtime.specialize({{"factor", 3}});
  runtime.specialize({});
  const auto before = runtime.statistics();
  const auto infos = runtime.specialize({{"factor", 3}});
  const auto after = runtime.statistics();
  EXPECT_EQ(after.compiles, before.compiles);
  EXPECT_EQ(after.cache_hits, before.cache_hits + 1);
  EXPECT_EQ(find(infos, "scale{factor=3}")->compile_time.count(), 0);
  EXPECT_EQ(call(7, 3, 1), 21U);
}

TEST(CodeCache, ReleasesTheMemoryOfWhatItDrops) {
  sartor::Options options;
  options.code_cache_bytes = 1; // the cache holds only the newest variant
  options.quick_tier = false;
  sartor::Runtime runtime(options);
  auto call = runtime.handler<&weighted_sum>();
  std::vector<sartor::VariantInfo> infos;
  for (std::uint64_t count = 1; count <= 40; ++count) {
    infos = runtime.specialize({{"count", count}});
    EXPECT_EQ(call(2, count, 3), 3 * count * (count - 1));
  }
  runtime.specialize({});
  EXPECT_TRUE(comes_true([&] { return runtime.statistics().variants <= 1; }));
  const auto after = runtime.statistics();
  EXPECT_EQ(after.variants, 1U);
  EXPECT_EQ(after.reclaimed, 39U);
  EXPECT_EQ(after.code_bytes, find(infos, "weighted_sum{count=40}")->code_bytes);
}

TEST(Runtime, TwoInOneProcessDoNotMeet) {
  sartor::Runtime first;
  sartor::Runtime second;
  auto one = first.handler<&scale>();
  auto two = second.handler<&scale>();
  first.specialize({{"factor", sartor::unguarded(2)}});
  second.specialize({{"factor", sartor::unguarded(5)}});
  EXPECT_EQ(one(7, 3, 1), 14U);
  EXPECT_EQ(two(7, 3, 1), 35U);
  first.specialize({});
  EXPECT_EQ(one(7, 3, 1), 21U);
  EXPECT_EQ(two(7, 3, 1), 35U);
}

TEST(Runtime, MayGoWhileACompileIsUnderWay) {
  int given_up = 0;
  // If this thread stops meanwhile, all are compiled.
  for (int attempt = 0; attempt < 5 && given_up == 0; ++attempt) {
    std::vector<std::future<std::vector<sartor::VariantInfo>>> waiting;
    {
      sartor::Runtime runtime;
      for (std::uint64_t count = 0; count < 20; ++count)
        waiting.push_back(runtime.specialize_async({{"count", count}}));
    }
    for (auto &future : waiting)
      try {
        future.get();
      } catch (const sartor::Error &error) {
        EXPECT_EQ(error.code(), sartor::ErrorCode::closing);
        ++given_up;
      }
  }
  EXPECT_GT(given_up, 0);
}

TEST(Runtime, KeepsItsHandlersWhenMoved) {
  sartor::Runtime first;
  auto call = first.handler<&scale>();
  sartor::Runtime second(std::move(first));
  second.specialize({{"factor", sartor::unguarded(5)}});
  EXPECT_EQ(call(7, 2, 1), 35U);
}

} // namespace
