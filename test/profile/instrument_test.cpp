// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Instrumentation of running handlers, through the public interface.
#include <atomic>
#include <cmath>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sartor/sartor.hpp>

#include "handlers.h"

namespace {

using Counts = std::map<std::string, std::uint64_t>;

Counts counts(const sartor::Runtime &runtime, const std::string &label) {
  const sartor::Profile profile = runtime.profile();
  Counts result;
  for (const sartor::ProfileEntry &entry : profile.find(label)->entries) {
    std::string text;
    for (const sartor::Value &input : entry.inputs)
      text += (text.empty() ? "" : ",") + input.text();
    result[text] = entry.count;
  }
  return result;
}

std::uint64_t count(const sartor::Runtime &runtime, const std::string &label) {
  return runtime.profile().find(label)->count;
}

template <class Body> sartor::Failure failure_of(Body body) {
  try {
    body();
  } catch (const sartor::Error &error) {
    return error.failure();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

const std::map<std::string, unsigned> kAll{{"mode", 1},  {"level", 1}, {"key", 1},
                                           {"scale", 1}, {"table", 1}, {"usual", 1}};

struct Input {
  int mode;
  std::int8_t level;
  std::uint64_t key;
  double scale;
};

std::vector<Input> inputs() {
  std::vector<Input> all;
  for (const int mode : {1, 2, 5, 8, 99})
    for (const int level : {-3, -2, 0, 2, 3})
      for (const std::uint64_t key : {0ULL, 7ULL, ~0ULL})
        for (const double scale : {0.0, -0.0, 1.5})
          all.push_back({mode, static_cast<std::int8_t>(level), key, scale});
  return all;
}

template <class Function> std::vector<std::int64_t> run_mixed(Function &&function) {
  std::vector<std::int64_t> results;
  std::int64_t cell = 1;
  for (const Input &input : inputs()) {
    results.push_back(function(input.mode, input.level, input.key, input.scale, some_table, &cell));
    results.push_back(cell);
  }
  return results;
}

} // namespace

TEST(Instrument, EveryKindOfPointIsCountedByItsValues) {
  sartor::Runtime runtime;
  runtime.instrument(kAll);
  run_mixed(runtime.handler<&mixed>());
  EXPECT_EQ(counts(runtime, "mode"), (Counts{{"1", 45}, {"2", 45}, {"5", 45}, {"8", 45}}));
  EXPECT_EQ(runtime.profile().find("mode")->other, 45U);
  EXPECT_EQ(counts(runtime, "level"), (Counts{{"-2", 45}, {"0", 45}, {"2", 45}}));
  EXPECT_EQ(counts(runtime, "key"), (Counts{{"0", 75}, {"7", 75}, {"18446744073709551615", 75}}));
  EXPECT_EQ(counts(runtime, "scale"), (Counts{{"0", 75}, {"-0", 75}, {"1.5", 75}}));
  EXPECT_EQ(counts(runtime, "table"), (Counts{{"some_table", 225}}));
  EXPECT_EQ(counts(runtime, "usual"), (Counts{{"1", 180}, {"0", 45}}));
}

TEST(Instrument, NothingIsLostAndNothingChangesUnderAnyConfiguration) {
  sartor::Runtime runtime;
  const auto expected = run_mixed(&mixed);
  runtime.instrument(kAll);
  std::uint64_t rounds = 0;
  for (const sartor::Configuration &configuration : std::vector<sartor::Configuration>{
           {},
           {{"mode", 2}},
           {{"key", 7}},
           {{"mode", sartor::any_of({1, 2, 8})}, {"key", 7}},
           {{"level", sartor::any_of({-2, 0})}, {"scale", 1.5}, {"usual", 1}},
           {{"table", "some_table"}, {"mode", 8}}}) {
    runtime.specialize(configuration);
    EXPECT_EQ(run_mixed(runtime.handler<&mixed>()), expected) << configuration.text();
    EXPECT_EQ(run_mixed(runtime.handler<&mixed>().function()), expected) << configuration.text();
    rounds += 2;
    for (const auto &[label, every] : kAll)
      EXPECT_EQ(count(runtime, label), rounds * 225) << label << " under " << configuration.text();
  }
}

TEST(Instrument, IsSwitchedOnAndOffWithoutTouchingWhatIsActive) {
  sartor::Runtime runtime;
  const auto handler = runtime.handler<&sum_items>();
  const std::vector<std::uint64_t> items{7, 7, 8};
  runtime.specialize({{"item", 7}});
  const auto expected = sum_items(items.data(), items.size());
  const auto call = [&] { EXPECT_EQ(handler(items.data(), items.size()), expected); };
  call();
  EXPECT_EQ(count(runtime, "item"), 0U);
  runtime.instrument({{"item", 1}});
  EXPECT_EQ(runtime.configuration(), (sartor::Configuration{{"item", 7}}));
  call();
  EXPECT_EQ(counts(runtime, "item"), (Counts{{"7", 2}, {"8", 1}}));
  runtime.specialize({});
  call();
  EXPECT_EQ(count(runtime, "item"), 6U) << "it stays on";
  runtime.instrument({});
  call();
  EXPECT_EQ(count(runtime, "item"), 6U);
  runtime.clear_profile();
  EXPECT_EQ(count(runtime, "item"), 0U);
}

TEST(Instrument, SamplesAreScaled) {
  sartor::Runtime runtime;
  runtime.instrument({{"item", 100}});
  std::vector<std::uint64_t> items(100'000);
  for (std::size_t i = 0; i < items.size(); ++i)
    items[i] = i % 100 == 0 ? 1 : i % 2;
  const auto handler = runtime.handler<&sum_items>();
  for (int i = 0; i < 10; ++i)
    EXPECT_EQ(handler(items.data(), items.size()), sum_items(items.data(), items.size()));
  const double deviation = std::sqrt(1e6 * 99);
  EXPECT_NEAR(static_cast<double>(count(runtime, "item")), 1e6, 4 * deviation);
  EXPECT_NEAR(static_cast<double>(counts(runtime, "item")["1"]), 0.51e6, 4 * deviation);
}

TEST(Instrument, CallsAreRecordedWithTheirResults) {
  sartor::Runtime runtime;
  runtime.instrument({{"square", 1}});
  const auto handler = runtime.handler<&calls>();
  std::int64_t cell = 0;
  for (int i = 0; i < 300; ++i) {
    const int a = i % 3 - 1;
    EXPECT_EQ(handler(a, 5, &cell), calls(a, 5, &cell));
  }
  const sartor::Profile profile = runtime.profile();
  const sartor::PointProfile &point = *profile.find("square");
  EXPECT_EQ(point.count, 300U);
  ASSERT_EQ(point.entries.size(), 3U);
  for (const sartor::ProfileEntry &entry : point.entries) {
    const auto a = entry.inputs[0].bits() == 0 ? 0 : 1;
    EXPECT_EQ(entry.count, 100U);
    EXPECT_EQ(entry.inputs[1], sartor::Value(5));
    EXPECT_EQ(entry.result, sartor::Value(a + 5));
  }
}

TEST(Instrument, AFastPathThatAnswersIsRecordedToo) {
  sartor::Runtime runtime;
  runtime.instrument({{"square", 1}});
  const auto handler = runtime.handler<&calls>();
  std::int64_t cell = 0;
  for (int i = 0; i < 10; ++i)
    handler(3, 4, &cell);
  runtime.specialize({{"square", 8}});
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(handler(3, 4, &cell), calls(3, 4, &cell));
    EXPECT_EQ(handler(i, 9, &cell), calls(i, 9, &cell));
  }
  EXPECT_EQ(counts(runtime, "square")["3,4"], 20U);
  EXPECT_EQ(count(runtime, "square"), 30U);
}

TEST(Instrument, VersionsGoAlongWithResults) {
  sartor::Runtime runtime;
  runtime.instrument({{"versioned", 1}});
  const auto handler = runtime.handler<&versioned>();
  EXPECT_EQ(handler(1), 101);
  version = 2;
  offset = 200;
  EXPECT_EQ(handler(1), 201);
  const sartor::Profile profile = runtime.profile();
  const auto &entries = profile.find("versioned")->entries;
  ASSERT_EQ(entries.size(), 1U);
  EXPECT_EQ(entries[0].count, 2U);
  EXPECT_EQ(entries[0].result, sartor::Value(201));
  EXPECT_EQ(entries[0].version, 2U);
}

TEST(Instrument, ManyThreadsAreCountedWhileTheProfileIsRead) {
  sartor::Runtime runtime;
  runtime.instrument({{"item", 1}});
  const auto handler = runtime.handler<&sum_items>();
  std::atomic<int> running = 4;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      std::vector<std::uint64_t> items(1000);
      for (std::size_t k = 0; k < items.size(); ++k)
        items[k] = k * k;
      for (int round = 0; round < 300; ++round)
        handler(items.data(), items.size());
      --running;
    });
  std::uint64_t last = 0;
  while (running > 0) {
    const std::uint64_t now = count(runtime, "item");
    EXPECT_GE(now, last);
    last = now;
  }
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(count(runtime, "item"), 4U * 300 * 1000);
  for (const auto &[value, seen] : counts(runtime, "item"))
    EXPECT_EQ(seen, 1200U) << value;
}

TEST(Instrument, TheSpaceReportsWhatWasSeen) {
  sartor::Runtime runtime;
  runtime.instrument({{"item", 1}});
  const std::vector<std::uint64_t> items{7, 7, 7, 8};
  runtime.handler<&sum_items>()(items.data(), items.size());
  const sartor::Space space = runtime.space();
  ASSERT_TRUE(space.find("item")->seen);
  EXPECT_EQ(space.find("item")->seen->count, 4U);
  EXPECT_EQ(space.find("item")->seen->top,
            (std::vector<sartor::Seen::Input>{{{7}, 0.75}, {{8}, 0.25}}));
  EXPECT_FALSE(space.find("mode")->seen);
  EXPECT_THAT(space.json(), testing::HasSubstr(R"("seen":{"count":4,"error_bound":0,"top":[{)"));
}

TEST(Instrument, AProfileIsLoadedIntoAnotherRuntime) {
  sartor::Runtime runtime;
  runtime.instrument({{"item", 1}});
  const std::vector<std::uint64_t> items{7, 7, 8};
  runtime.handler<&sum_items>()(items.data(), items.size());
  const std::string json = runtime.profile().json();
  sartor::Runtime other;
  other.load_profile(sartor::Profile::from_json(json));
  EXPECT_EQ(other.profile(), runtime.profile());
  other.load_profile(sartor::Profile::from_json(json));
  EXPECT_EQ(counts(other, "item"), (Counts{{"7", 4}, {"8", 2}}));
}

TEST(Instrument, ResultsThatDependOnMemoryAreNotLoaded) {
  sartor::Runtime runtime;
  runtime.instrument({{"versioned", 1}});
  runtime.handler<&versioned>()(7);
  const sartor::Profile profile = runtime.profile();
  ASSERT_EQ(profile.find("versioned")->entries.size(), 1U);
  EXPECT_TRUE(profile.find("versioned")->entries[0].result);
  sartor::Runtime other;
  other.load_profile(profile);
  const sartor::Profile loaded = other.profile();
  const auto &entries = loaded.find("versioned")->entries;
  ASSERT_EQ(entries.size(), 1U);
  EXPECT_EQ(entries[0].count, 1U);
  EXPECT_FALSE(entries[0].result);
  EXPECT_FALSE(entries[0].version);
  const auto failure = failure_of([&] { other.specialize({{"versioned", 1}}); });
  EXPECT_EQ(failure.code, sartor::ErrorCode::no_profile);
  EXPECT_TRUE(failure.remedy.contains("instrument it")) << failure.remedy;
  EXPECT_FALSE(failure.remedy.contains("load")) << failure.remedy;
}

TEST(Instrument, AnotherProgramsProfileIsRefused) {
  sartor::Runtime runtime;
  const sartor::Profile strange("0123", {{"item", {}}, {"no_such_point", {}}});
  const auto failure = failure_of([&] { runtime.load_profile(strange); });
  EXPECT_EQ(failure.code, sartor::ErrorCode::wrong_profile);
  EXPECT_EQ(failure.subject, "no_such_point");
}

TEST(Instrument, MistakesChangeNothing) {
  sartor::Runtime runtime;
  runtime.instrument({{"item", 1}});
  EXPECT_EQ(failure_of([&] { runtime.instrument({{"itme", 1}}); }).code,
            sartor::ErrorCode::unknown_label);
  EXPECT_EQ(failure_of([&] { runtime.instrument({{"item", 0}}); }).code,
            sartor::ErrorCode::bad_value_type);
  EXPECT_EQ(failure_of([&] { runtime.instrument({{"wide", 1}}); }).code,
            sartor::ErrorCode::point_not_specializable);
  const std::uint64_t items[] = {1};
  runtime.handler<&sum_items>()(items, 1);
  EXPECT_EQ(count(runtime, "item"), 1U);
}
