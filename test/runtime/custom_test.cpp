// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <atomic>
#include <chrono>
#include <future>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sartor/sartor.hpp>

#include "failing.h"
#include "handlers/custom.h"

namespace {

using sartor::Builder;

/// Generates a switch over the values in the table at compilation.
void switch_over_table(Builder &b) {
  std::vector<Builder::Case> cases;
  const auto other = b.block();
  for (int i = 0; i < 4; ++i)
    cases.push_back({i, b.block()});
  b.switch_on(b.and_(b.argument(0), b.constant(3U)), cases, other);
  for (int i = 0; i < 4; ++i) {
    b.enter(cases[i].block);
    b.result(b.constant(custom_table[i]));
  }
  b.enter(other);
  b.result(b.generic());
}

TEST(CustomTest, ActivatesGeneratedCode) {
  sartor::Runtime runtime;
  const auto lookup = runtime.handler<&custom_lookup>();
  runtime.add_custom("table", switch_over_table);
  runtime.specialize({{"lookup", 1}});
  for (unsigned i = 0; i < 100; ++i)
    EXPECT_EQ(lookup(i), custom_lookup(i));
  custom_table[1] = 50; // the variant does not read the table
  EXPECT_EQ(lookup(1), 10U);
  custom_table[1] = 5;
}

TEST(CustomTest, GivesTheSettingToTheGenerator) {
  sartor::Runtime runtime;
  const auto difference = runtime.handler<&custom_difference>();
  runtime.add_custom("arithmetic", [](Builder &b) {
    EXPECT_EQ(b.label(), "difference");
    EXPECT_EQ(b.kind(), "arithmetic");
    EXPECT_EQ(b.handler(), "custom_difference");
    EXPECT_EQ(b.argument_types().size(), 2U);
    EXPECT_EQ(b.result_type(), sartor::types::i32);
    b.result(b.constant(sartor::types::i32, b.setting()));
  });
  runtime.specialize({{"difference", -7}});
  EXPECT_EQ(difference(1, 1), -14);
  runtime.specialize({{"difference", 8}});
  EXPECT_EQ(difference(1, 1), 16);
}

TEST(CustomTest, CallsTheGenericFunctionOnceWhereTheGeneratorDoes) {
  sartor::Runtime runtime;
  const auto difference = runtime.handler<&custom_difference>();
  runtime.add_custom("arithmetic", [](Builder &b) { b.result(b.generic()); });
  runtime.specialize({{"difference", "any name"}});
  custom_calls = 0;
  EXPECT_EQ(difference(9, 2), 14);
  EXPECT_EQ(custom_calls, 1);
}

TEST(CustomTest, TakesCSource) {
  sartor::Runtime runtime;
  const auto difference = runtime.handler<&custom_difference>();
  runtime.add_custom("arithmetic", [](Builder &b) {
    b.result(b.source({"extern int custom_calls;\n"
                       "int specialized(int a, int b) { return a * 100 + b + custom_calls; }"}));
  });
  runtime.specialize({{"difference", 1}});
  custom_calls = 3;
  EXPECT_EQ(difference(1, 2), 210);
}

TEST(CustomTest, UsesANewGeneratorForLaterRequests) {
  sartor::Runtime runtime;
  const auto difference = runtime.handler<&custom_difference>();
  runtime.add_custom("arithmetic", [](Builder &b) { b.result(b.argument(0)); });
  runtime.specialize({{"difference", 1}});
  EXPECT_EQ(difference(5, 2), 10);
  runtime.add_custom("arithmetic", [](Builder &b) { b.result(b.argument(1)); });
  EXPECT_EQ(difference(5, 2), 10); // still active
  runtime.specialize({{"difference", 1}});
  EXPECT_EQ(difference(5, 2), 4);
}

TEST(CustomTest, KeepsCachedVariantsThatUseOtherKinds) {
  sartor::Runtime runtime;
  runtime.add_custom("table", switch_over_table);
  runtime.specialize({{"lookup", 1}, {"plain", 2}});
  runtime.specialize({});
  runtime.add_custom("arithmetic", [](Builder &b) { b.result(b.argument(0)); });
  const auto before = runtime.statistics();
  runtime.specialize({{"lookup", 1}, {"plain", 2}});
  EXPECT_EQ(runtime.statistics().cache_hits, before.cache_hits + 2);
  EXPECT_EQ(runtime.statistics().compiles, before.compiles);
}

TEST(CustomTest, ExploresTheChoicesGiven) {
  sartor::Runtime runtime;
  const auto values = [&](const char *label) {
    const sartor::Space space = runtime.space();
    return space.find(label)->values();
  };
  EXPECT_TRUE(values("lookup").empty());
  runtime.add_custom("table", switch_over_table, {4, 2.5, "name"});
  EXPECT_THAT(values("lookup"),
              testing::ElementsAre(sartor::Value(4), sartor::Value(2.5), sartor::Value("name")));
  EXPECT_TRUE(values("difference").empty());
  runtime.add_custom("arithmetic", switch_over_table);
  EXPECT_THAT(values("difference"), testing::ElementsAre(sartor::Value(1)));
  EXPECT_EQ(values("lookup").size(), 3U);
}

TEST(CustomTest, AcceptsAnyOneValue) {
  const sartor::Runtime runtime;
  for (const sartor::Value &value : {sartor::Value(-5), sartor::Value(0.5), sartor::Value("tree")})
    EXPECT_EQ(runtime.space().check({{"lookup", value}}), std::nullopt);
  EXPECT_TRUE(runtime.space().check({{"lookup", sartor::any_of({1, 2})}}));
}

TEST(CustomTest, ReportsAKindThatNobodyHasAdded) {
  sartor::Runtime runtime;
  expect_error([&] { runtime.specialize({{"lookup", 1}}); }, sartor::ErrorCode::unknown_custom_kind,
               "lookup", "kind \"table\"", "add_custom()");
}

TEST(CustomTest, RefusesAGeneratorThatIsNone) {
  sartor::Runtime runtime;
  expect_error([&] { runtime.add_custom("table", nullptr); }, sartor::ErrorCode::bad_generator,
               "table", "no generator", "Builder");
}

TEST(CustomTest, LeavesWhatIsActiveWhenAGeneratorFails) {
  sartor::Runtime runtime;
  const auto difference = runtime.handler<&custom_difference>();
  runtime.add_custom("arithmetic", [](Builder &b) { b.result(b.argument(0)); });
  runtime.specialize({{"difference", 1}});
  for (const sartor::Generator &bad :
       {sartor::Generator([](Builder &) { throw std::runtime_error("on purpose"); }),
        sartor::Generator([](Builder &b) { b.result(b.constant(1.0)); }),
        sartor::Generator([](Builder &b) { b.result(b.source({"int specialized("})); })}) {
    runtime.add_custom("arithmetic", bad);
    expect_error([&] { runtime.specialize({{"difference", 1}}); }, sartor::ErrorCode::bad_generator,
                 "difference", "its ", "");
    EXPECT_EQ(difference(5, 2), 10);
  }
}

TEST(CustomTest, ReportsTheVerifiersMessage) {
  sartor::Runtime runtime;
  runtime.add_custom("table", [](Builder &b) {
    const auto block = b.block();
    b.switch_on(b.argument(0), {{1, block}, {1, block}}, block);
    b.enter(block);
    b.result(b.argument(0));
  });
  expect_error([&] { runtime.specialize({{"lookup", 1}}); },
               sartor::ErrorCode::generated_invalid_ir, "lookup", "Duplicate integer",
               "kind \"table\"");
  EXPECT_EQ(runtime.handler<&custom_lookup>()(1), 10U);
}

TEST(CustomTest, IsDeactivatedWithWhatItsGeneratorDependsOn) {
  sartor::Runtime runtime;
  const auto lookup = runtime.handler<&custom_lookup>();
  std::vector<unsigned> price = {90};
  sartor::Invariant invariant(price.data(), sizeof(unsigned));
  runtime.add_custom("table", [&](Builder &b) {
    b.depends_on(invariant);
    b.result(b.constant(price.front()));
  });
  runtime.specialize({{"lookup", 1}});
  EXPECT_EQ(lookup(1), 180U);
  invariant.invalidate();
  EXPECT_EQ(runtime.statistics().replugs, 1U);
  EXPECT_EQ(lookup(1), 10U);
  expect_error([&] { runtime.specialize({{"lookup", 1}}); }, sartor::ErrorCode::bad_generator,
               "lookup", "does not hold", "promise the memory again");
  price.front() = 50;
  invariant = sartor::Invariant(price.data(), sizeof(unsigned));
  runtime.specialize({{"lookup", 1}});
  EXPECT_EQ(lookup(1), 100U);
}

TEST(CustomTest, IsNotActivatedIfAnInvariantIsRevokedWhileItIsMade) {
  sartor::Runtime runtime;
  const auto scaled = runtime.handler<&custom_scaled>();
  sartor::Invariant invariant(&custom_factor, sizeof custom_factor);
  std::promise<void> begun;
  std::promise<void> changed;
  bool is_first = true; // generators run one at a time
  runtime.add_custom("table", [&, go_on = changed.get_future().share()](Builder &b) {
    if (std::exchange(is_first, false))
      begun.set_value();
    go_on.wait();
    b.result(b.argument(0));
  });
  auto made = runtime.specialize_async({{"scaled", 1}});
  begun.get_future().wait();
  invariant.invalidate_later(); // invalidate() waits for the generator
  custom_factor = 3;
  changed.set_value();
  expect_error([&] { made.get(); }, sartor::ErrorCode::bad_invariant, "custom_scaled",
               "revoked while it was compiled", "again");
  EXPECT_EQ(scaled(1), 15U);
  runtime.specialize({{"scaled", 1}});
  EXPECT_EQ(scaled(1), 3U);
  custom_factor = 2;
}

TEST(CustomTest, IsWaitedForByWhoRevokesAnInvariant) {
  sartor::Runtime runtime;
  sartor::Invariant invariant(&custom_factor, sizeof custom_factor);
  std::promise<void> begun;
  std::atomic<bool> first_is_over = false;
  bool is_first = true; // generators run one at a time
  runtime.add_custom("table", [&](Builder &b) {
    b.result(b.argument(0));
    if (!std::exchange(is_first, false))
      return;
    begun.set_value();
    // An invalidate() that does not wait would return during this time.
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    first_is_over = true;
  });
  auto made = runtime.specialize_async({{"scaled", 1}});
  begun.get_future().wait();
  invariant.invalidate();
  EXPECT_TRUE(first_is_over);
  made.wait();
}

TEST(CustomTest, LeavesNothingInTheCacheThatDependsOnAnInvariantRevokedMeanwhile) {
  sartor::Runtime runtime;
  const auto lookup = runtime.handler<&custom_lookup>();
  std::vector<unsigned> price = {90};
  sartor::Invariant invariant(price.data(), sizeof(unsigned));
  int built = 0; // generators run one at a time
  std::promise<void> revoked;
  runtime.add_custom("table", [&](Builder &b) {
    b.depends_on(invariant);
    b.result(b.constant(price.front()));
    if (++built == 2) { // in the full variant
      invariant.invalidate_later();
      revoked.set_value();
    }
  });
  expect_error([&] { runtime.specialize({{"lookup", 1}}); }, sartor::ErrorCode::bad_invariant,
               "custom_lookup", "revoked while it was compiled", "again");
  EXPECT_EQ(lookup(1), 10U);
  revoked.get_future().wait(); // the request may end before the generator
  price.front() = 50;
  invariant = sartor::Invariant(price.data(), sizeof(unsigned));
  runtime.specialize({{"lookup", 1}});
  EXPECT_EQ(lookup(1), 100U);
}

TEST(CustomTest, DoesNothingWhileSartorIsOff) {
  setenv("SARTOR", "off", 1);
  sartor::Runtime runtime;
  unsetenv("SARTOR");
  runtime.add_custom("table", [](Builder &) { ADD_FAILURE(); });
  runtime.specialize({{"lookup", 1}});
  EXPECT_EQ(runtime.handler<&custom_lookup>()(1), 10U);
}

} // namespace
