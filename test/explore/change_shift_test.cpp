// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "explore/watch/change_shift.h"

#include <gtest/gtest.h>
#include <limits>

namespace sartor {
namespace {

using Keep = ShiftTest::Keep;

double evidence_after(ShiftTest test, int samples, double sample) {
  for (int i = 0; i < samples; ++i)
    test.add(sample);
  return test.evidence();
}

TEST(ShiftTest, EvidenceGrowsWithEverySampleThatIsOff) {
  const ShiftTest test(0.14, 0.14, Keep::all);
  EXPECT_NEAR(evidence_after(test, 1, 0.14), 0.5, 1e-9);
  EXPECT_NEAR(evidence_after(test, 20, 0.14), 10, 1e-9);
}

TEST(ShiftTest, EitherDirectionCounts) {
  const ShiftTest test(0.14, 0.14, Keep::all);
  EXPECT_NEAR(evidence_after(test, 20, -0.14), 10, 1e-9);
}

TEST(ShiftTest, EvidenceForAShiftUpIsTakenApart) {
  ShiftTest test(0.14, 0.14, Keep::all);
  test.add(-0.14);
  EXPECT_LT(test.up(), 0);
  EXPECT_GT(test.evidence(), 0);
}

TEST(ShiftTest, SamplesThatAreNotOffRefuteIt) {
  EXPECT_NEAR(evidence_after(ShiftTest(0.14, 0.14, Keep::all), 20, 0), -10, 1e-9);
}

TEST(ShiftTest, PositiveEvidenceAloneIsKeptOnRequest) {
  ShiftTest test(0.14, 0.14, Keep::positive);
  for (int i = 0; i < 1000; ++i)
    test.add(0);
  EXPECT_EQ(test.evidence(), 0);
  EXPECT_NEAR(evidence_after(test, 20, 0.14), 10, 1e-9);
}

TEST(ShiftTest, OneSampleProvesNothing) {
  EXPECT_LE(evidence_after(ShiftTest(0.14, 0.01, Keep::all), 1, 1e6), 2);
}

TEST(ShiftTest, WhatIsNoNumberSaysNothing) {
  const ShiftTest test(0.14, 0.14, Keep::all);
  EXPECT_EQ(evidence_after(test, 5, std::numeric_limits<double>::quiet_NaN()), 0);
  EXPECT_EQ(evidence_after(test, 5, std::numeric_limits<double>::infinity()), 0);
}

} // namespace
} // namespace sartor
