// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>
#include <chrono>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

#include <gmock/gmock.h>

#include <sartor/sartor.hpp>

#include "comes_true.h"
#include "failing.h"
#include "handlers/routes.h"

namespace {

using sartor::_;
using sartor::ErrorCode;

TEST(Binding, TakesTheRemainingArguments) {
  sartor::Runtime runtime;
  const Routes routes = some_routes(5);
  const auto bound = runtime.bind<&forward>(&routes, _, 7);
  EXPECT_EQ(bound(20U), 3007U);
  bound.wait();
  EXPECT_EQ(bound(20U), 3007U);
  EXPECT_EQ(bound(99U), 7U);
}

TEST(Binding, IsReadyWhenNobodyHasToWait) {
  sartor::Runtime runtime;
  const Routes routes = some_routes(5);
  const auto bound = runtime.bind<&forward>(&routes, _, 7);
  const auto late = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (!bound.ready() && std::chrono::steady_clock::now() < late)
    EXPECT_EQ(bound(20U), 3007U);
  ASSERT_TRUE(bound.ready());
  EXPECT_GT(bound.wait().code_bytes, 0U);
  EXPECT_TRUE(runtime.bind<&forward>(&routes, _, 7).ready()); // which shares its variant
}

TEST(Binding, CountsOneVariantAndNotItsEntryFunction) {
  sartor::Options options;
  options.quick_tier = false;
  sartor::Runtime runtime(options);
  const Routes routes = some_routes(5);
  const auto bound = runtime.bind<&forward>(&routes, _, 7);
  bound.wait();
  EXPECT_EQ(runtime.statistics().variants, 1U);
}

TEST(Binding, BindsFloatsReferencesAndNarrowIntegers) {
  sartor::Runtime runtime;
  const Routes routes = some_routes(6);
  const auto all = runtime.bind<&weigh_ports>(0.5F, routes, _, true);
  const auto none = runtime.bind<&weigh_ports>(_, _, _, _);
  const auto every = runtime.bind<&weigh_ports>(-1.5F, routes, std::uint8_t{200}, false);
  all.wait();
  none.wait();
  every.wait();
  EXPECT_EQ(all(std::uint8_t{1}), weigh_ports(0.5F, routes, 1, true));
  EXPECT_EQ(none(2.F, routes, std::uint8_t{0}, false), weigh_ports(2.F, routes, 0, false));
  EXPECT_EQ(every(), weigh_ports(-1.5F, routes, 200, false));
}

TEST(Binding, IsFoundOnDiskWhateverWasCompiledBefore) {
  const std::filesystem::path directory =
      testing::TempDir() + "sartor_bindings_on_disk_" + std::to_string(getpid());
  std::filesystem::remove_all(directory);
  sartor::Options options;
  options.cache_directory = directory;
  const Routes routes = some_routes(5);
  {
    sartor::Runtime runtime(options);
    for (const int extra : {1, 2, 3})
      runtime.bind<&forward>(&routes, _, extra).wait();
    EXPECT_EQ(runtime.statistics().disk_misses, 3U);
  }
  sartor::Runtime runtime(options);
  for (const int extra : {3, 1, 2})
    EXPECT_EQ(runtime.bind<&forward>(&routes, _, extra).wait().origin, sartor::VariantOrigin::disk);
  std::filesystem::remove_all(directory);
}

TEST(Binding, EqualContextsShareOneVariant) {
  sartor::Runtime runtime;
  const Routes routes = some_routes(5);
  const auto first = runtime.bind<&forward>(&routes, _, 1);
  first.wait();
  const auto compiles = runtime.statistics().compiles;
  const auto second = runtime.bind<&forward>(&routes, _, 1);
  second.wait();
  EXPECT_EQ(runtime.statistics().compiles, compiles);
  EXPECT_EQ(second(10U), 2001U);
}

TEST(Binding, ReleasesItsVariantWithTheLastCopy) {
  sartor::Options options;
  options.code_cache_bytes = 0; // the newest variant is kept nevertheless
  sartor::Runtime runtime(options);
  const Routes routes = some_routes(5);
  {
    const auto first = runtime.bind<&forward>(&routes, _, 1);
    const auto copy = first; // NOLINT(performance-unnecessary-copy-initialization)
    copy.wait();
  }
  runtime.bind<&forward>(&routes, _, 2).wait();
  runtime.bind<&forward>(&routes, _, 3).wait();
  EXPECT_TRUE(comes_true([&] { return runtime.statistics().reclaimed > 0; }));
}

TEST(Binding, PastTheBoundKnowsFewerOfItsArguments) {
  sartor::Runtime runtime;
  runtime.limit_bindings<&forward>(2, {2, 1, 0});
  const Routes routes = some_routes(5);
  std::vector<decltype(runtime.bind<&forward>(&routes, _, 1))> bindings;
  for (int extra = 0; extra < 20; ++extra)
    bindings.push_back(runtime.bind<&forward>(&routes, _, extra));
  for (int extra = 0; extra < 20; ++extra) {
    bindings[static_cast<std::size_t>(extra)].wait();
    EXPECT_EQ(bindings[static_cast<std::size_t>(extra)](30U), 4000U + static_cast<unsigned>(extra));
  }
  EXPECT_LE(runtime.statistics().compiles, 4U);
}

TEST(Binding, WithoutArgumentsDoesNotCountTowardsTheLimit) {
  sartor::Runtime runtime;
  runtime.limit_bindings<&forward>(1);
  const Routes routes = some_routes(5);
  const auto none = runtime.bind<&forward>(_, _, _);
  const auto bound = runtime.bind<&forward>(&routes, _, 7);
  EXPECT_THAT(bound.wait().name, testing::HasSubstr(",7)"));
  EXPECT_EQ(none(&routes, 30U, 7), 4007U);
  const auto past = runtime.bind<&forward>(&routes, _, 8);
  EXPECT_THAT(past.wait().name, testing::Not(testing::HasSubstr(",8)")));
  EXPECT_EQ(past(30U), 4008U);
}

TEST(Binding, TenThousandOverAFewHundredContextsWork) {
  sartor::Runtime runtime;
  const Routes routes = some_routes(5);
  std::vector<decltype(runtime.bind<&forward>(&routes, _, 1))> bindings;
  bindings.reserve(10'000);
  for (int i = 0; i < 10'000; ++i)
    bindings.push_back(runtime.bind<&forward>(&routes, _, i % 300));
  for (int i = 0; i < 10'000; ++i)
    ASSERT_EQ(bindings[static_cast<std::size_t>(i)](40U), 5000U + static_cast<unsigned>(i % 300));
  for (int i = 0; i < 300; ++i)
    bindings[static_cast<std::size_t>(i)].wait();
  EXPECT_LE(runtime.statistics().compiles, 300U);
  for (int i = 0; i < 10'000; ++i)
    ASSERT_EQ(bindings[static_cast<std::size_t>(i)](40U), 5000U + static_cast<unsigned>(i % 300));
}

TEST(Binding, MayBeMadeAndDroppedByManyThreads) {
  sartor::Runtime runtime;
  const Routes routes = some_routes(5);
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&, thread] {
      for (int i = 0; i < 40; ++i) {
        const auto bound = runtime.bind<&forward>(&routes, _, (thread + i) % 5);
        if (i % 8 == 0)
          bound.wait();
        EXPECT_EQ(bound(10U), 2000U + static_cast<unsigned>((thread + i) % 5));
      }
    });
}

TEST(Binding, FollowsTheConfigurationItWasMadeUnder) {
  sartor::Runtime runtime;
  const Routes routes = some_routes(3);
  const auto bound = runtime.bind<&forward>(&routes, _, 1);
  runtime.specialize({});
  bound.wait();
  EXPECT_EQ(bound(20U), 3001U);
}

TEST(Binding, OfAFunctionThatIsNoHandlerIsRefused) {
  sartor::Runtime runtime;
  EXPECT_EQ(failing([&] { (void)runtime.bind<&find_port>(nullptr, _); }),
            ErrorCode::unknown_handler);
}

TEST(Binding, DropsOnlyArgumentsThatThereAre) {
  sartor::Runtime runtime;
  EXPECT_EQ(failing([&] { runtime.limit_bindings<&forward>(1, {3}); }), ErrorCode::bad_binding);
}

} // namespace
