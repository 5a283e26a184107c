// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <atomic>
#include <chrono>
#include <future>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <sys/resource.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sartor/sartor.hpp>

#include "comes_true.h"
#include "failing.h"
#include "handlers/custom.h"

namespace {

using sartor::GeneratedCode;
using sartor::GeneratorInput;

/// Generates a switch over the values in the table at compilation.
GeneratedCode switch_over_table(const GeneratorInput &) {
  std::string text = "unsigned sartor_generic(unsigned);\n"
                     "unsigned specialized(unsigned i) {\n  switch (i & 3) {\n";
  for (int i = 0; i < 4; ++i)
    text += "  case " + std::to_string(i) + ": return " + std::to_string(custom_table[i]) + ";\n";
  return {.text = text + "  }\n  return sartor_generic(i);\n}\n"};
}

/// A generator of an expression of `a` and `b`, the arguments of custom_difference().
sartor::Generator arithmetic(std::string expression) {
  return [expression = std::move(expression)](const GeneratorInput &) {
    return GeneratedCode{.text = "int sartor_generic(int, int);\nextern int custom_calls;\n"
                                 "int specialized(int a, int b) { return " +
                                 expression + "; }"};
  };
}

GeneratedCode returning(const std::string &expression) {
  return {.text = "unsigned specialized(unsigned i) { return " + expression + "; }"};
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
  runtime.add_custom("arithmetic", [](const GeneratorInput &point) {
    EXPECT_EQ(point.label, "difference");
    EXPECT_EQ(point.kind, "arithmetic");
    EXPECT_EQ(point.handler, "custom_difference");
    EXPECT_EQ(point.arguments.size(), 2U);
    EXPECT_EQ(point.result.text(), "i32");
    return arithmetic(point.setting.text())(point);
  });
  runtime.specialize({{"difference", -7}});
  EXPECT_EQ(difference(1, 1), -14);
  runtime.specialize({{"difference", 8}});
  EXPECT_EQ(difference(1, 1), 16);
}

TEST(CustomTest, CallsTheGenericFunctionOnceWhereTheGeneratorDoes) {
  sartor::Runtime runtime;
  const auto difference = runtime.handler<&custom_difference>();
  runtime.add_custom("arithmetic", arithmetic("sartor_generic(a, b)"));
  runtime.specialize({{"difference", "any name"}});
  custom_calls = 0;
  EXPECT_EQ(difference(9, 2), 14);
  EXPECT_EQ(custom_calls, 1);
}

TEST(CustomTest, ReachesTheProgramsVariables) {
  sartor::Runtime runtime;
  const auto difference = runtime.handler<&custom_difference>();
  runtime.add_custom("arithmetic", arithmetic("a * 100 + b + custom_calls"));
  runtime.specialize({{"difference", 1}});
  custom_calls = 3;
  EXPECT_EQ(difference(1, 2), 210);
}

TEST(CustomTest, UsesANewGeneratorForLaterRequests) {
  sartor::Runtime runtime;
  const auto difference = runtime.handler<&custom_difference>();
  runtime.add_custom("arithmetic", arithmetic("a"));
  runtime.specialize({{"difference", 1}});
  EXPECT_EQ(difference(5, 2), 10);
  runtime.add_custom("arithmetic", arithmetic("b"));
  EXPECT_EQ(difference(5, 2), 10); // still active
  runtime.specialize({{"difference", 1}});
  EXPECT_EQ(difference(5, 2), 4);
}

TEST(CustomTest, KeepsCachedVariantsThatUseOtherKinds) {
  sartor::Runtime runtime;
  runtime.add_custom("table", switch_over_table);
  runtime.specialize({{"lookup", 1}, {"plain", 2}});
  runtime.specialize({});
  runtime.add_custom("arithmetic", arithmetic("a"));
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
               "table", "no generator", "GeneratedCode");
}

TEST(CustomTest, LeavesWhatIsActiveWhenAGeneratorFails) {
  sartor::Runtime runtime;
  const auto difference = runtime.handler<&custom_difference>();
  runtime.add_custom("arithmetic", arithmetic("a"));
  runtime.specialize({{"difference", 1}});
  for (const sartor::Generator &bad :
       {sartor::Generator([](const GeneratorInput &) -> GeneratedCode {
          throw std::runtime_error("on purpose");
        }),
        arithmetic("a; } int specialized("), sartor::Generator([](const GeneratorInput &) {
          return GeneratedCode{.text = "double specialized(int a, int b) { return 1; }"};
        })}) {
    runtime.add_custom("arithmetic", bad);
    expect_error([&] { runtime.specialize({{"difference", 1}}); }, sartor::ErrorCode::bad_generator,
                 "difference", "its ", "");
    EXPECT_EQ(difference(5, 2), 10);
  }
}

TEST(CustomTest, ReportsLlvmsMessage) {
  sartor::Runtime runtime;
  runtime.add_custom("table", [](const GeneratorInput &) {
    return GeneratedCode{.language = GeneratedCode::Language::llvm_ir,
                         .text = "define i32 @specialized(i32 %i) {\n"
                                 "  switch i32 %i, label %x [i32 1, label %x i32 1, label %x]\n"
                                 "x:\n  ret i32 %i\n}\n"};
  });
  expect_error([&] { runtime.specialize({{"lookup", 1}}); },
               sartor::ErrorCode::generated_invalid_ir, "lookup", "duplicate case value",
               "fix the text");
  EXPECT_EQ(runtime.handler<&custom_lookup>()(1), 10U);
}

TEST(CustomTest, WritesNothingToTheProgramsOutputWithoutDescriptors) {
  sartor::Runtime runtime;
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  runtime.add_custom("arithmetic", [&](const GeneratorInput &point) {
    const int next = dup(STDIN_FILENO);
    close(next);
    rlimit few = before;
    few.rlim_cur = static_cast<rlim_t>(next) + 2; // for the source text alone
    setrlimit(RLIMIT_NOFILE, &few);
    return arithmetic("a - b")(point);
  });
  testing::internal::CaptureStdout();
  const auto code = failing([&] { runtime.specialize({{"difference", 3}}); });
  setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(code, sartor::ErrorCode::file_error);
}

TEST(CustomTest, IsDeactivatedWithWhatItsGeneratorDependsOn) {
  sartor::Runtime runtime;
  const auto lookup = runtime.handler<&custom_lookup>();
  std::vector<unsigned> price = {90};
  sartor::Invariant invariant(price.data(), sizeof(unsigned));
  runtime.add_custom("table", [&](const GeneratorInput &) {
    GeneratedCode code = returning(std::to_string(price.front()));
    code.depends_on(invariant);
    return code;
  });
  runtime.specialize({{"lookup", 1}});
  EXPECT_EQ(lookup(1), 180U);
  invariant.invalidate();
  EXPECT_EQ(runtime.statistics().replugs, 1U);
  EXPECT_EQ(lookup(1), 10U);
  expect_error([&] { runtime.specialize({{"lookup", 1}}); }, sartor::ErrorCode::bad_generator,
               "lookup", "is not valid", "declare the memory again");
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
  runtime.add_custom("table", [&, go_on = changed.get_future().share()](const GeneratorInput &) {
    if (std::exchange(is_first, false))
      begun.set_value();
    go_on.wait();
    return returning("i");
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
  runtime.add_custom("table", [&](const GeneratorInput &) {
    if (!std::exchange(is_first, false))
      return returning("i");
    begun.set_value();
    // An invalidate() that does not wait would return during this time.
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    first_is_over = true;
    return returning("i");
  });
  auto made = runtime.specialize_async({{"scaled", 1}});
  begun.get_future().wait();
  invariant.invalidate();
  EXPECT_TRUE(first_is_over);
  made.wait();
}

TEST(CustomTest, LeavesNothingInTheCacheThatDependsOnAnInvariantRevokedMeanwhile) {
  sartor::Options options;
  options.quick_tier = false; // otherwise the full variant may be made first, and alone
  sartor::Runtime runtime(options);
  const auto lookup = runtime.handler<&custom_lookup>();
  std::vector<unsigned> price = {90};
  sartor::Invariant invariant(price.data(), sizeof(unsigned));
  bool is_first = true; // generators run one at a time
  std::promise<void> revoked;
  runtime.add_custom("table", [&](const GeneratorInput &) {
    GeneratedCode code = returning(std::to_string(price.front()));
    code.depends_on(invariant);
    if (std::exchange(is_first, false)) {
      invariant.invalidate_later();
      revoked.set_value();
    }
    return code;
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

TEST(CustomTest, RestoresEveryHandlerIfTheFullTierFails) {
  sartor::Options options;
  options.verify = sartor::Verification::off(); // the generated code differs
  sartor::Runtime runtime(options);
  const auto lookup = runtime.handler<&custom_lookup>();
  std::atomic<int> calls = 0;
  std::atomic<bool> may_fail = false;
  runtime.add_custom("table", [&](const GeneratorInput &point) {
    if (point.setting == sartor::Value(1) || calls++ == 0)
      return returning("i");
    while (!may_fail)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    throw std::runtime_error("only once");
  });
  runtime.specialize({{"lookup", 1}, {"scaled", 1}});
  ASSERT_EQ(lookup(1), 2U);
  auto made = runtime.specialize_async({{"scaled", 2}}); // leaves "lookup" generic
  while (lookup(1) == 2U && made.wait_for(std::chrono::seconds(0)) != std::future_status::ready)
    std::this_thread::yield();
  may_fail = true;
  try {
    made.get(); // succeeds if the full tier was first
  } catch (const sartor::Error &error) {
    EXPECT_EQ(error.code(), sartor::ErrorCode::bad_generator);
    EXPECT_EQ(lookup(1), 2U);
  }
}

TEST(CustomTest, IsNotMadeAgainAfterANewerRequest) {
  sartor::Options options;
  options.verify = sartor::Verification::off(); // the generated code differs
  sartor::Runtime runtime(options);
  const auto scaled = runtime.handler<&custom_scaled>();
  std::promise<void> begun;
  std::promise<void> may_end;
  bool is_first = true; // generators run one at a time
  runtime.add_custom("table", [&](const GeneratorInput &) {
    if (std::exchange(is_first, false)) {
      begun.set_value();
      may_end.get_future().wait();
    }
    return returning("i");
  });
  auto older = runtime.specialize_async({{"scaled", 1}});
  begun.get_future().wait();
  runtime.specialize({});
  may_end.set_value();
  older.get();
  EXPECT_EQ(scaled(1), 10U);
  sartor::QuasiInvariant factor("factor");
  factor.add(&custom_factor, sizeof custom_factor);
  ASSERT_TRUE(factor.wait_until_valid(std::chrono::minutes(1)));
  EXPECT_TRUE(comes_true([&] { return factor.figures().made > 0; })); // of the newer request
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(scaled(1), 10U);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

TEST(CustomTest, DoesNothingWhileSartorIsOff) {
  setenv("SARTOR", "off", 1);
  sartor::Runtime runtime;
  unsetenv("SARTOR");
  runtime.add_custom("table", [](const GeneratorInput &) {
    ADD_FAILURE();
    return returning("i");
  });
  runtime.specialize({{"lookup", 1}});
  EXPECT_EQ(runtime.handler<&custom_lookup>()(1), 10U);
}

} // namespace
