// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <atomic>
#include <random>
#include <thread>

#include <gmock/gmock.h>

#include <sartor/sartor.hpp>

#include "failing.h"
#include "handlers/routes.h"

namespace {

using sartor::ErrorCode;

/// Calls a handler with the destination of every route; the first destinations are called more
/// often.
template <class Handler> void run_traffic(const Handler &handler, const Routes &routes) {
  for (std::uint32_t i = 0; i < routes.count; ++i)
    for (std::uint32_t times = 0; times < 200 - i; ++times)
      handler(&routes, routes.list[i].destination);
}

TEST(FastPath, OverAFunctionWithSideEffectsIsRefused) {
  sartor::Runtime runtime;
  expect_error([&] { runtime.specialize({{"counted", 4}}); }, ErrorCode::impure_function, "counted",
               "stores to memory", "__attribute__((pure))");
}

TEST(FastPath, GivesNoAnswerWhereTheFunctionDoesNotReturn) {
  sartor::Runtime runtime; // the next check is whether there is a profile
  expect_error([&] { runtime.specialize({{"leaving", 4}}); }, ErrorCode::no_profile, "leaving", "",
               "");
  expect_error([&] { runtime.specialize({{"coming_back", 4}}); }, ErrorCode::impure_function,
               "coming_back", "calls", "__attribute__((pure))");
}

TEST(FastPath, OverMemoryThatNothingReportsIsRefused) {
  sartor::Runtime runtime;
  expect_error([&] { runtime.specialize({{"port", 4}}); }, ErrorCode::untied_fast_path, "port",
               "find_port", "tie");
}

TEST(FastPath, ThatHasSeenNothingIsRefused) {
  sartor::Runtime runtime;
  EXPECT_EQ(failing([&] { runtime.specialize({{"versioned", 4}}); }), ErrorCode::no_profile);
}

TEST(FastPath, TiesOnlyLabelsThatThereAre) {
  sartor::Runtime runtime;
  int number = 0;
  const sartor::Invariant invariant(&number, sizeof number);
  EXPECT_EQ(failing([&] { runtime.tie("prot", invariant); }), ErrorCode::unknown_label);
}

TEST(FastPath, IsSetToANumberOfAnswers) {
  sartor::Runtime runtime;
  for (const sartor::Value &wrong : {sartor::Value(0), sartor::Value(-1), sartor::Value(1 << 20),
                                     sartor::Value(0.5), sartor::Value("all")})
    EXPECT_EQ(failing([&] { runtime.specialize({{"versioned", wrong}}); }),
              ErrorCode::value_outside_choices);
}

/// A fast path that is tied to an invariant about the program's table.
class TiedFastPath : public testing::Test {
protected:
  TiedFastPath() {
    runtime.tie("declared", invariant);
    runtime.instrument({{"declared", 1}});
    for (std::uint32_t i = 0; i < 100; ++i)
      handler(i % 4);
  }
  ~TiedFastPath() override { global_routes.count = 3; }

  static std::uint64_t answer(std::uint32_t destination) {
    return destination * 5 + global_routes.count;
  }

  sartor::Runtime runtime;
  sartor::Invariant invariant{&global_routes, sizeof global_routes};
  sartor::Handler<std::uint64_t(std::uint32_t)> handler =
      runtime.handler<&forward_counted_but_declared>();
};

TEST_F(TiedFastPath, AnswersWithoutCallingTheFunction) {
  runtime.instrument({});
  runtime.specialize({{"declared", 3}});
  const std::uint64_t before = lookups;
  for (std::uint32_t destination = 0; destination < 4; ++destination)
    EXPECT_EQ(handler(destination), answer(destination));
  EXPECT_EQ(lookups, before + 1); // for the destination that is not among the three
}

TEST_F(TiedFastPath, IsNotMadeAnewWheneverTheOrderOfWhatIsSeenChanges) {
  runtime.specialize({{"declared", 2}});
  const auto compiles = runtime.statistics().compiles;
  for (std::uint32_t destination = 0; destination < 4; ++destination) {
    handler(destination);
    runtime.specialize({{"declared", 2}});
    EXPECT_EQ(handler(destination), answer(destination));
  }
  EXPECT_EQ(runtime.statistics().compiles, compiles);
  for (int i = 0; i < 1000; ++i)
    handler(3);
  runtime.instrument({});
  runtime.specialize({{"declared", 1}});
  const std::uint64_t before = lookups;
  handler(3);
  EXPECT_EQ(lookups, before);
}

TEST_F(TiedFastPath, IsDeactivatedWithTheInvariant) {
  runtime.specialize({{"declared", 4}});
  EXPECT_EQ(handler(2), answer(2));
  invariant.invalidate();
  ++global_routes.count;
  EXPECT_EQ(handler(2), answer(2));
}

TEST_F(TiedFastPath, ForgetsWhatWasSeenBeforeItWasTied) {
  invariant.invalidate();
  ++global_routes.count;
  const sartor::Invariant fresh(&global_routes, sizeof global_routes);
  runtime.tie("declared", fresh);
  EXPECT_EQ(failing([&] { runtime.specialize({{"declared", 1}}); }), ErrorCode::no_profile);
  runtime.instrument({{"declared", 1}}); // the instrumented code was revoked with the invariant
  handler(2);
  runtime.specialize({{"declared", 1}});
  EXPECT_EQ(handler(2), answer(2));
}

TEST(FastPath, OfEverySizeDoesWhatTheFunctionDoes) {
  for (const int size : {1, 2, 8, 9, 33, 60, 1000}) {
    sartor::Runtime runtime;
    const Routes routes = some_routes(60);
    const auto handler = runtime.handler<&forward_versioned>();
    runtime.instrument({{"versioned", 1}});
    run_traffic(handler, routes);
    runtime.specialize({{"versioned", size}});
    for (std::uint32_t destination = 0; destination < 700; ++destination)
      ASSERT_EQ(handler(&routes, destination), forward_versioned(&routes, destination));
    const Routes others = some_routes(20);
    for (std::uint32_t destination = 0; destination < 700; ++destination)
      ASSERT_EQ(handler(&others, destination), forward_versioned(&others, destination));
  }
}

TEST(FastPath, GivesNoStaleAnswerOnceTheVersionIsAnother) {
  sartor::Runtime runtime;
  Routes routes = some_routes(30);
  const auto handler = runtime.handler<&forward_versioned>();
  std::mt19937 random(7);
  for (int round = 0; round < 5; ++round) {
    runtime.instrument({{"versioned", 1}});
    run_traffic(handler, routes);
    runtime.instrument({});
    runtime.specialize({{"versioned", 16}});
    ++routes.version;
    for (std::uint32_t i = 0; i < routes.count; ++i)
      routes.list[i].port = static_cast<std::uint16_t>(random());
    for (std::uint32_t destination = 0; destination < 300; ++destination)
      ASSERT_EQ(handler(&routes, destination), forward_versioned(&routes, destination));
  }
}

TEST(FastPath, AnswersRightWhileAnotherThreadChangesTheTable) {
  sartor::Runtime runtime;
  Routes routes = some_routes(30);
  const auto handler = runtime.handler<&forward_versioned>();
  runtime.instrument({{"versioned", 1}});
  run_traffic(handler, routes);
  runtime.specialize({{"versioned", 16}});
  // A port only grows: no thread may see a port that is smaller than one seen before.
  std::atomic<bool> stop = false;
  std::jthread reader([&] {
    std::uint64_t last = 0;
    while (!stop) {
      const std::uint64_t port = handler(&routes, 50);
      EXPECT_GE(port, last);
      last = port;
    }
  });
  for (std::uint16_t port = 100; port < 130; ++port) {
    std::atomic_ref(routes.version).fetch_add(1);
    std::atomic_ref(routes.list[5].port).store(port);
    std::atomic_ref(routes.version).fetch_add(1);
    runtime.specialize({{"versioned", 8 + port % 8}});
  }
  stop = true;
}

} // namespace
