// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sartor/sartor.hpp>

#include "replaced.h"
#include "shared.h"

// Strong definitions that replace the weak ones of the handler file.
int hook(int x) { return x + 100; }
int limit = 77;
int weak_handler(int x) { return x + 700; }
int weak_callee(int x) { return x + 900; }

extern template long doubled<long>(long);
extern template double doubled<double>(double);
extern template long added<1>(long);
extern template long added<2>(long);

namespace {

using testing::HasSubstr;
using testing::SizeIs;

TEST(HandlersInHeaders, MayComeFromSeveralFiles) {
  sartor::Runtime runtime;
  auto call = runtime.handler<long(long)>("shared_inline");
  auto one = runtime.handler<&first>();
  auto other = runtime.handler<&second>();
  runtime.specialize({{"inline", 2}, {"member", 2}, {"second", 2}});
  const long before = call(2);
  EXPECT_EQ(call(2), before + 1000);
  EXPECT_EQ(one(2), before + 2000 + 4 + 3);
  EXPECT_EQ(other(2), before + 3000 + 10);
  EXPECT_EQ(other(3), before + 4000 + 3 + 15);
  EXPECT_EQ(second(2), before + 5000 + 10);
  EXPECT_EQ(runtime.statistics().guard_failures.at("inline"), 1U);
}

TEST(InstancesOfATemplate, WithOneTypeOfPointShareIt) {
  sartor::Runtime runtime;
  EXPECT_THAT(runtime.space().find("added")->handlers, SizeIs(2));
  auto one = runtime.handler<&added<1>>();
  auto two = runtime.handler<&added<2>>();
  runtime.specialize({{"added", 5}});
  EXPECT_EQ(one(5) * 100 + two(5), 607);
}

TEST(InstancesOfATemplate, WithTypesOfTheirOwnHavePointsOfTheirOwn) {
  sartor::Runtime runtime;
  EXPECT_FALSE(runtime.space().find("doubled"));
  auto whole = runtime.handler<&doubled<long>>();
  auto real = runtime.handler<&doubled<double>>();
  runtime.specialize({{"doubled@doubled<long>", 5}, {"doubled@doubled<double>", 0.5}});
  EXPECT_EQ(whole(5), 10);
  EXPECT_EQ(whole(6), 12);
  EXPECT_EQ(real(0.5), 1);
  EXPECT_EQ(real(0.75), 1.5);
  EXPECT_EQ(runtime.statistics().guard_failures.at("doubled@doubled<double>"), 1U);
}

TEST(WeakAliases, AreWhatTheLinkerMadeOfThem) {
  sartor::Runtime runtime;
  auto call = runtime.handler<&call_hook>();
  runtime.specialize({{"hooked", 5}});
  EXPECT_EQ(call_hook(5), 105083);
  EXPECT_EQ(call(5), 105083);
  EXPECT_EQ(call(6), call_hook(6));
}

TEST(AHandlerThatTheLinkerReplaced, IsTheOtherDefinition) {
  sartor::Runtime runtime;
  auto call = runtime.handler<&weak_handler>();
  EXPECT_THAT(runtime.space().find("weak")->sites.at(0).problem,
              HasSubstr("another definition of it"));
  try {
    runtime.specialize({{"weak", 5}});
    FAIL();
  } catch (const sartor::Error &error) {
    EXPECT_EQ(error.code(), sartor::ErrorCode::point_not_specializable);
  }
  runtime.specialize({});
  EXPECT_EQ(call(5), 705);
  EXPECT_EQ(call(5), weak_handler(5));
}

TEST(AWeakFunctionThatAHandlerCalls, KeepsItsPointsGenericAndSaysSo) {
  sartor::Runtime runtime;
  auto call = runtime.handler<&call_weak_callee>();
  const auto problem_of = [&](const char *label) {
    return runtime.space().find(label).value().sites.at(0).problem;
  };
  EXPECT_THAT(problem_of("in callee"), HasSubstr("another definition of it"));
  EXPECT_THAT(problem_of("in kept"), HasSubstr("the function is weak"));
  try {
    runtime.specialize({{"in kept", 5}});
    FAIL();
  } catch (const sartor::Error &error) {
    EXPECT_EQ(error.code(), sartor::ErrorCode::point_not_specializable);
  }
  runtime.specialize({});
  EXPECT_EQ(call(5), 911);
}

TEST(AWeakHandlerThatIsActive, IsSpecialized) {
  sartor::Runtime runtime;
  auto call = runtime.handler<&kept_weak_handler>();
  runtime.specialize({{"kept", 5}});
  EXPECT_EQ(call(5), 12);
  EXPECT_EQ(call(6), 13);
  EXPECT_EQ(runtime.statistics().guard_failures.at("kept"), 1U);
}

TEST(AssemblyOfAFile, IsThereOnce) {
  sartor::Runtime runtime;
  auto add = runtime.handler<&add_to_state>();
  runtime.specialize({{"state", 5}});
  assembly_state = 5;
  EXPECT_EQ(add(5), 10);
  EXPECT_EQ(assembly_state, 10);
  EXPECT_EQ(add_to_state(5), 15);
}

} // namespace
