// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "explore/watch/change.h"

#include <gtest/gtest.h>
#include <initializer_list>

namespace sartor {
namespace {

/// How many windows it took to notice; 0 if it did not.
int noticed_after(ChangeRule &rule, std::initializer_list<double> scores) {
  int windows = 0;
  for (const double score : scores) {
    ++windows;
    if (rule.moved(score))
      return windows;
  }
  return 0;
}

TEST(ChangeRule, SmallMovesAreNoChange) {
  ChangeRule rule(0.25, 2);
  EXPECT_EQ(noticed_after(rule, {100, 100, 124, 76, 124, 124, 124, 76, 76}), 0);
}

TEST(ChangeRule, LargeMoveCountsAfterWindowsInARow) {
  ChangeRule rule(0.25, 2);
  EXPECT_EQ(noticed_after(rule, {100, 100, 100, 130, 130}), 5);
}

TEST(ChangeRule, MoveDownCountsToo) {
  ChangeRule rule(0.25, 2);
  EXPECT_EQ(noticed_after(rule, {100, 100, 70, 70}), 4);
}

TEST(ChangeRule, SingleOutlierIsNoChange) {
  ChangeRule rule(0.25, 2);
  EXPECT_EQ(noticed_after(rule, {100, 100, 10, 100, 10, 100, 10, 100}), 0);
}

TEST(ChangeRule, ReferenceIsTheMeanOfTheFirstWindows) {
  ChangeRule rule(0.25, 2);
  EXPECT_EQ(noticed_after(rule, {80, 120, 126, 126}), 4);
  EXPECT_DOUBLE_EQ(rule.before(), 100);
}

TEST(ChangeRule, TellsWhatItWasAndWhatItIs) {
  ChangeRule rule(0.25, 2);
  noticed_after(rule, {100, 100, 200, 300});
  EXPECT_DOUBLE_EQ(rule.before(), 100);
  EXPECT_DOUBLE_EQ(rule.now(), 250);
}

TEST(ChangeRule, ExpectedScoreIsTheReferenceFromTheFirstWindowOn) {
  ChangeRule rule(0.25, 2, 100);
  EXPECT_FALSE(rule.moved(60));
  EXPECT_TRUE(rule.moved(60));
  EXPECT_EQ(rule.before(), 100);
}

TEST(ChangeRule, StandingStillIsNoChange) {
  ChangeRule rule(0.25, 1);
  EXPECT_EQ(noticed_after(rule, {0, 0, 0, 0}), 0);
}

TEST(ChangeRule, WakingUpIsAChange) {
  ChangeRule rule(0.25, 1);
  EXPECT_EQ(noticed_after(rule, {0, 0, 1}), 3);
}

} // namespace
} // namespace sartor
