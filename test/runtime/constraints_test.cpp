// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>

#include <sartor/sartor.hpp>

#include "handlers/arithmetic.h"

namespace {

using sartor::Configuration;
using sartor::Error;
using sartor::ErrorCode;

ErrorCode code_of(sartor::Runtime &runtime, const Configuration &configuration) {
  try {
    runtime.specialize(configuration);
  } catch (const Error &error) {
    return error.code();
  }
  return {};
}

TEST(Constraints, ForbiddenConfigurationIsNotActivated) {
  sartor::Runtime runtime;
  auto call = runtime.handler<&scale>();
  runtime.constrain({.relations = {"factor + common <= 5"}});
  runtime.specialize({{"factor", sartor::unguarded(3)}, {"common", 2}});
  EXPECT_EQ(code_of(runtime, {{"factor", sartor::unguarded(5)}, {"common", 2}}),
            ErrorCode::forbidden_configuration);
  EXPECT_EQ(call(7, 2, 2), 21U);
  EXPECT_THROW(runtime.prepare({{"factor", 5}, {"common", 2}}).get(), Error);
}

TEST(Constraints, NewOnesLeaveWhatIsActive) {
  sartor::Runtime runtime;
  auto call = runtime.handler<&scale>();
  runtime.specialize({{"factor", sartor::unguarded(3)}});
  runtime.constrain({.forbidden = {{{"factor", 3}}}});
  runtime.instrument({{"common", 1}}); // compiles the variant again
  EXPECT_EQ(call(7, 2, 1), 21U);
  EXPECT_EQ(code_of(runtime, {{"factor", 3}}), ErrorCode::forbidden_configuration);
  runtime.constrain({});
  EXPECT_EQ(code_of(runtime, {{"factor", 3}}), ErrorCode{});
}

TEST(Constraints, RefusedOnesLeaveTheOldOnes) {
  sartor::Runtime runtime;
  runtime.constrain({.forbidden = {{{"factor", 3}}}});
  EXPECT_THROW(runtime.constrain({.relations = {"factor <"}}), Error);
  EXPECT_EQ(code_of(runtime, {{"factor", 3}}), ErrorCode::forbidden_configuration);
  EXPECT_EQ(runtime.space().constraints().forbidden.size(), 1U);
}

TEST(Constraints, ExplorerKeepsToThem) {
  sartor::Runtime runtime;
  runtime.constrain({.conditions = {{"common", {"factor", {2}}}}});
  const sartor::Explorer explorer(
      runtime,
      sartor::Objective::value_of([] { return 1.0; },
                                  sartor::Objective::Direction::higher_is_better),
      {.choices = {{"factor", {2, 3}}, {"offset", {}}, {"step", {}}, {"ready", {}}}});
  EXPECT_TRUE(explorer.space().allows(Configuration{{"factor", 2}, {"common", 1}}));
  EXPECT_FALSE(explorer.space().allows(Configuration{{"factor", 3}, {"common", 1}}));
}

} // namespace
