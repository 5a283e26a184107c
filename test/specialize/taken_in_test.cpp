// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Functions of other files that a handler inlines so that they can be folded: they use an
/// invariant variable, or receive a function to call. Also the functions that are not inlined.

#include <array>
#include <cstddef>
#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "folding.h"
#include "taken_in.h"

namespace {

using testing::HasSubstr;
using testing::Not;
using OfLine = long(struct Line *, long, long);
using OfNumber = long(int, long, long);

class TakenIn : public testing::Test {
protected:
  TakenIn() { invariant_.add_part(*line_of(2), offsetof(struct Line, count)); }

  static Folding &folding() {
    static Folding folding;
    return folding;
  }

  // Compares the results and the count in memory.
  template <class Function, class Bound>
  void expect_same(const char *name, Function *native, Bound bound, const void *bits) {
    auto *folded = folding().variant<Function>(name, bits, invariant_);
    for (const long bytes : {0L, 1L, 77L, -5L, 1L << 40}) {
      line_of(2)->count = 0;
      const long expected = native(bound, bytes, 3);
      const long count = line_of(2)->count;
      line_of(2)->count = 0;
      EXPECT_EQ(folded(bound, bytes, 3), expected);
      EXPECT_EQ(line_of(2)->count, count);
    }
  }

  Shape shape(const char *name, const void *bits) {
    return folding().shape(folding().context(name, bits, invariant_));
  }

  InvariantFixture invariant_;
};

const void *const two = reinterpret_cast<const void *>(2); // a bound int

TEST_F(TakenIn, WhatComesByAVariableOfAnotherFile) {
  expect_same<OfNumber>("taken_by_number", taken_by_number, 2, two);
  const Shape shape = this->shape("taken_by_number", two);
  EXPECT_EQ(shape.calls, 0U) << shape.text;
  EXPECT_EQ(shape.loops, 0U) << shape.text; // the rate is known
  EXPECT_THAT(shape.text, Not(HasSubstr("srem"))) << shape.text;
}

TEST_F(TakenIn, WhatAFunctionOfAnotherFileIsGivenToCall) {
  expect_same<OfLine>("taken_by_callback", taken_by_callback, line_of(2), line_of(2));
  const Shape shape = this->shape("taken_by_callback", line_of(2));
  EXPECT_EQ(shape.calls, 0U) << shape.text;
  EXPECT_EQ(shape.loads, 1U) << shape.text; // the load of the count
}

TEST_F(TakenIn, OneCopyForSeveralCalls) {
  expect_same<OfLine>("taken_twice", taken_twice, line_of(2), line_of(2));
  const Made made = folding().specialized(folding().context("taken_twice", line_of(2), invariant_));
  std::size_t copies = 0;
  for (std::size_t at = 0; (at = made.text.find("define internal", at)) != std::string::npos; ++at)
    ++copies;
  EXPECT_EQ(copies, 1U) << made.text;
}

// A call that passes an object by value makes a copy of it. The copy changes.
TEST_F(TakenIn, WhatIsPassedByValueIsACopy) {
  const std::array<Line, 2> before{Line{3, 4}, Line{5, 6}};
  for (const bool whole : {false, true}) {
    std::array<Line, 2> lines = before;
    InvariantFixture invariant;
    whole ? invariant.add(lines) : invariant.add_part(lines, offsetof(Line, count));
    auto *folded = folding().variant<OfLine>("taken_by_value", lines.data(), invariant);
    ASSERT_TRUE(folded);
    for (const long bytes : {0L, 1L, 77L, -5L, 1L << 40}) {
      const long expected = taken_by_value(lines.data(), bytes, 3);
      EXPECT_EQ(folded(lines.data(), bytes, 3), expected) << bytes;
      EXPECT_EQ(std::memcmp(lines.data(), before.data(), sizeof lines), 0) << bytes;
    }
  }
}

// Functions of the same file are not inlined either, if native code has them as functions.
TEST_F(TakenIn, NotWhatIsColdAndNeverInlined) {
  expect_same<OfLine>("taken_by_nobody", taken_by_nobody, line_of(2), line_of(2));
  const Made made =
      folding().specialized(folding().context("taken_by_nobody", line_of(2), invariant_));
  EXPECT_THAT(made.text, Not(HasSubstr("define internal"))) << made.text;
  EXPECT_THAT(made.text, HasSubstr("declare")) << made.text;
}

// The handler is called again by its address, as from elsewhere in the program.
TEST_F(TakenIn, NotWhatIsLargeAndReachesPointsByTheHandlerOnly) {
  expect_same<OfLine>("taken_once", taken_once, line_of(2), line_of(2));
  const Made made = folding().specialized(folding().context("taken_once", line_of(2), invariant_));
  EXPECT_THAT(made.text, Not(HasSubstr("define internal"))) << made.text;
  EXPECT_THAT(made.text, HasSubstr("declare")) << made.text;
}

TEST_F(TakenIn, NotWhatIsCold) {
  expect_same<OfLine>("taken_seldom", taken_seldom, line_of(2), line_of(2));
  const Shape shape = this->shape("taken_seldom", line_of(2));
  EXPECT_EQ(shape.calls, 1U) << shape.text;
  EXPECT_EQ(shape.loads, 0U) << shape.text;
}

} // namespace
