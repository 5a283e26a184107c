// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdlib>

#include <sartor/sartor.hpp>

#include "failing.h"
#include "handlers/arithmetic.h"
#include "paths.h"

namespace {

using sartor::ErrorCode;
using sartor::Pipeline;

const Pipeline answer{"default<O1>,function(test-answer)", {paths::passes()}};

TEST(CustomPipeline, OfLlvmsOwnPassesMakesTheVariants) {
  sartor::Runtime runtime;
  auto call = runtime.handler<&scale>();
  runtime.customize_pipeline({"function(sroa,instcombine)", {}});
  runtime.specialize({{"factor", sartor::unguarded(3)}});
  EXPECT_EQ(call(7, 2, 1), 21U);
}

TEST(CustomPipeline, RunsPassesOfAPlugin) {
  sartor::Runtime runtime;
  auto call = runtime.handler<&scale>();
  runtime.customize_pipeline(answer);
  runtime.specialize({{"factor", 3}});
  EXPECT_EQ(call(7, 3, 1), 42U);
}

TEST(CustomPipeline, OptimisesTheGenericCodeToo) {
  sartor::Runtime runtime;
  auto call = runtime.handler<&scale>();
  runtime.customize_pipeline(answer);
  runtime.specialize({});
  EXPECT_EQ(call(7, 2, 1), 42U);
  runtime.customize_pipeline({});
  runtime.specialize({});
  EXPECT_EQ(call(7, 2, 1), 14U);
}

TEST(CustomPipeline, DoesNotMixUpCachedVariants) {
  sartor::Runtime runtime;
  auto call = runtime.handler<&scale>();
  runtime.specialize({{"factor", 3}});
  runtime.customize_pipeline(answer);
  runtime.specialize({{"factor", 3}});
  EXPECT_EQ(call(7, 3, 1), 42U);
  runtime.customize_pipeline({});
  runtime.specialize({{"factor", 3}});
  EXPECT_EQ(call(7, 3, 1), 21U);
}

TEST(CustomPipeline, ThatCannotBeParsedIsRefused) {
  sartor::Runtime runtime;
  expect_error([&] { runtime.customize_pipeline({"function(no-such-pass)", {}}); },
               ErrorCode::bad_pipeline, "function(no-such-pass)", "no-such-pass", "opt -passes");
  runtime.specialize({{"factor", sartor::unguarded(3)}});
  EXPECT_EQ(runtime.handler<&scale>()(7, 2, 1), 21U);
}

TEST(CustomPipeline, WithAPluginThatDoesNotExistIsRefused) {
  sartor::Runtime runtime;
  expect_error([&] { runtime.customize_pipeline({"default<O1>", {"/nowhere/passes.so"}}); },
               ErrorCode::bad_pipeline, "/nowhere/passes.so", "/nowhere/passes.so", "");
}

/// False if the configuration is not made within the time limit.
bool is_made(sartor::Runtime &runtime, const sartor::Configuration &configuration) {
  return failing([&] { runtime.specialize(configuration); }) != ErrorCode::compile_timeout;
}

/// While a variant is active, a pass of the user fails. The variant must stay active, and the next
/// compilation must succeed.
void expect_failure_of(const std::string &passes, ErrorCode code, const std::string &subject,
                       const std::string &message, const std::string &remedy,
                       const sartor::Options &options = {}) {
  // If the machine stops, a compilation that should succeed may exceed the limit.
  for (int attempt = 0; attempt < 3; ++attempt) {
    sartor::Runtime runtime(options);
    auto call = runtime.handler<&scale>();
    const sartor::Configuration active{{"factor", sartor::unguarded(3)}};
    runtime.customize_pipeline({"default<O1>", {}});
    if (!is_made(runtime, active))
      continue;
    runtime.customize_pipeline({passes, {paths::passes()}});
    expect_error([&] { runtime.specialize({{"factor", 5}}); }, code, subject, message, remedy);
    EXPECT_EQ(call(7, 2, 1), 21U);
    EXPECT_EQ(runtime.configuration(), active);
    runtime.customize_pipeline({"default<O1>", {}});
    if (!is_made(runtime, {{"factor", sartor::unguarded(5)}}))
      continue;
    EXPECT_EQ(call(7, 2, 1), 35U);
    return;
  }
  ADD_FAILURE() << "other compilations take too long";
}

TEST(CustomPipeline, ThatTakesTooLongFails) {
  // The other compilations must end in time on a busy machine, too.
  sartor::Options options;
  options.compile_timeout = std::chrono::seconds(12);
  setenv("SARTOR_TEST_SLOW", "16000", 1);
  expect_failure_of("test-slow,no-op-module", ErrorCode::compile_timeout, "", "in time",
                    "Options::compile_timeout", options);
  unsetenv("SARTOR_TEST_SLOW");
}

TEST(CustomPipeline, WithAPassThatGivesUpFails) {
  expect_failure_of("test-fatal", ErrorCode::compile_failed, "LLVM", "a pass of the user's gave up",
                    "the active code stays active");
}

TEST(CustomPipeline, WithAPassThatLeavesInvalidCodeFails) {
  expect_failure_of("function(test-broken)", ErrorCode::broken_by_pass, "function(test-broken)",
                    "invalid IR", "fix or drop the pass");
}

TEST(CustomPipeline, ThatFailsInTheFullTierDropsTheQuickOne) {
  sartor::Runtime runtime;
  auto call = runtime.handler<&scale>();
  const sartor::Configuration active{{"factor", sartor::unguarded(3)}};
  runtime.specialize(active);
  setenv("SARTOR_TEST_BREAK", "1", 1);
  runtime.customize_pipeline({"", {paths::passes()}});
  expect_error([&] { runtime.specialize({{"factor", sartor::unguarded(5)}}); },
               ErrorCode::broken_by_pass, "", "invalid IR", "fix or drop the pass");
  unsetenv("SARTOR_TEST_BREAK");
  EXPECT_EQ(call(7, 2, 1), 21U);
  EXPECT_EQ(runtime.configuration(), active);
}

} // namespace
