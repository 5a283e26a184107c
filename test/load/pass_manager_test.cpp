// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loader/lib/pass/pass_manager.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdexcept>

#include "fake_target.h"

namespace sartor::loader {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

using Operations = sartor_prelink_operations;

sartor_pass pass(const char *name, decltype(sartor_pass::run) run,
                 const char *const *needs = nullptr) {
  sartor_pass made{};
  made.name = name;
  made.needs = needs;
  made.run = run;
  return made;
}

const char *sets(sartor_prelink_image *image, const Operations *operations) {
  operations->set_environment(image, "SET", "1");
  return nullptr;
}

const char *sets_and_fails(sartor_prelink_image *image, const Operations *operations) {
  operations->set_environment(image, "FAILED", "1");
  return "there is no room";
}

const char *sets_and_throws(sartor_prelink_image *image, const Operations *operations) {
  operations->set_environment(image, "THROWN", "1");
  throw std::runtime_error("out of range");
}

const char *throws_a_number(sartor_prelink_image *, const Operations *) { throw 1; }

const char *refuses(sartor_prelink_image *image, const Operations *operations) {
  operations->refuse(image, "/lib/x.so is not signed: sign it");
  return "and fails";
}

class PassManager : public testing::Test {
protected:
  Result<std::vector<PassOutcome>> run(const std::vector<sartor_pass> &passes,
                                       bool strict = false) {
    std::vector<const sartor_pass *> pointers;
    for (const sartor_pass &each : passes)
      pointers.push_back(&each);
    return run_passes(target, pointers, strict);
  }

  FakeTarget target;
};

TEST_F(PassManager, RunsPassesInTheOrderGiven) {
  const auto outcomes = run({pass("b", sets), pass("a", sets)}, true);
  ASSERT_TRUE(outcomes) << outcomes.error().text();
  EXPECT_THAT(*outcomes, ElementsAre(PassOutcome{"b", {}}, PassOutcome{"a", {}}));
  EXPECT_THAT(target.begun, ElementsAre("b", "a"));
  EXPECT_THAT(target.now.environment, ElementsAre(Pair("SET", "1")));
}

TEST_F(PassManager, APassThatFailsIsUndoneAndTheOthersRun) {
  const auto outcomes = run({pass("a", sets_and_fails), pass("b", sets)});
  ASSERT_TRUE(outcomes) << outcomes.error().text();
  ASSERT_EQ(outcomes->size(), 2U);
  const auto &failure = outcomes->front().failure;
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->code, ErrorCode::bad_pass);
  EXPECT_EQ(failure->subject, "a");
  EXPECT_EQ(failure->message, "there is no room");
  EXPECT_FALSE(outcomes->back().failure);
  EXPECT_THAT(target.now.environment, ElementsAre(Pair("SET", "1")));
}

TEST_F(PassManager, AnExceptionIsAFailure) {
  const auto outcomes = run({pass("a", sets_and_throws), pass("b", throws_a_number)});
  ASSERT_TRUE(outcomes) << outcomes.error().text();
  EXPECT_THAT(outcomes->front().failure->message, HasSubstr("out of range"));
  EXPECT_THAT(outcomes->back().failure->message, HasSubstr("exception"));
  EXPECT_THAT(target.now.environment, IsEmpty());
}

TEST_F(PassManager, WhatNeedsAPassThatFailedDoesNotRun) {
  constexpr const char *a[] = {"a", nullptr}, *x_and_b[] = {"x", "b", nullptr};
  const auto outcomes = run(
      {pass("a", sets_and_fails), pass("x", sets), pass("b", sets, a), pass("c", sets, x_and_b)});
  ASSERT_TRUE(outcomes) << outcomes.error().text();
  EXPECT_THAT(target.begun, ElementsAre("a", "x"));
  ASSERT_EQ(outcomes->size(), 4U);
  EXPECT_THAT((*outcomes)[2].failure->message, HasSubstr("needs a, which failed"));
  EXPECT_EQ((*outcomes)[3].failure->code, ErrorCode::bad_pass);
  EXPECT_EQ((*outcomes)[3].failure->subject, "c");
  EXPECT_THAT((*outcomes)[3].failure->message, HasSubstr("needs b, which failed"));
}

TEST_F(PassManager, StrictMakesAFailureTheEnd) {
  const auto outcomes = run({pass("a", sets_and_fails), pass("b", sets)}, true);
  ASSERT_FALSE(outcomes);
  EXPECT_EQ(outcomes.error().code, ErrorCode::bad_pass);
  EXPECT_EQ(outcomes.error().subject, "a");
  EXPECT_EQ(outcomes.error().message, "there is no room");
  EXPECT_THAT(target.begun, ElementsAre("a"));
}

TEST_F(PassManager, AFailureOfAPassThatJudgesIsTheEnd) {
  sartor_pass judge = pass("judge", sets_and_fails);
  judge.judges = 1;
  const auto outcomes = run({judge, pass("b", sets)});
  ASSERT_FALSE(outcomes);
  EXPECT_EQ(outcomes.error().code, ErrorCode::bad_pass);
  EXPECT_EQ(outcomes.error().subject, "judge");
}

TEST_F(PassManager, ARefusalIsTheEndStrictOrNot) {
  for (const bool strict : {false, true}) {
    target = {};
    const auto outcomes = run({pass("a", sets), pass("verify", refuses), pass("b", sets)}, strict);
    ASSERT_FALSE(outcomes);
    EXPECT_EQ(outcomes.error().code, ErrorCode::bad_pass);
    EXPECT_EQ(outcomes.error().subject, "verify");
    EXPECT_EQ(outcomes.error().message, "/lib/x.so is not signed: sign it");
    EXPECT_THAT(target.begun, ElementsAre("a", "verify"));
  }
}

} // namespace
} // namespace sartor::loader
