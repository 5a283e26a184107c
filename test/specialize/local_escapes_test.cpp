// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pointers into sartor_local() memory that are derived, stored and passed on: variants must read
// the same memory contents as native code, and remarks report the cost.
#include <array>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "folding.h"
#include "local_escapes.h"

long *escape_kept;
void (*escape_hook)(long *) = escape_keep;
void escape_keep(long *pointer) { escape_kept = pointer; }
void escape_change_kept() { escape_kept[1] += 7; }
void escape_reach_back(long *end) { end[-2] += end[-1]; }
void escape_reach_between(EscapePair *pair) { *pair->begin += pair->end[-1]++; }
void escape_by_number(unsigned long number) { *reinterpret_cast<long *>(number ^ 1) += 2; }
long *escape_forward(long *pointer) { return pointer + 1; }
void escape_change(long *pointer __attribute__((noescape))) { *pointer ^= 0x55; }
void escape_nothing(long /*a*/) {}

namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class LocalEscapesTest : public testing::Test {
protected:
  using Memory = std::array<long, escape_many_longs>;
  using Remarks = std::vector<std::string>;

  static std::pair<long, Memory> run(EscapeHandler *handler, long a) {
    Memory memory{};
    escape_kept = nullptr;
    const long result = handler(a, memory.data());
    return {result, memory};
  }

  /// The remarks of the variant, whose results must equal those of native code.
  static Remarks remarks(const char *name, EscapeHandler *native) {
    static Folding folding;
    const auto context = folding.context(name, {});
    auto *made = folding.made<EscapeHandler>(context, sartor::core::Tier::full);
    EXPECT_TRUE(made) << name;
    for (const long a : {-3, 0, 1, 77})
      if (made)
        EXPECT_EQ(run(made, a), run(native, a)) << name << ' ' << a;
    return folding.specialized(context).remarks;
  }
};

TEST_F(LocalEscapesTest, BySavedPointersAreFollowedAndReported) {
  EXPECT_THAT(remarks("escape_by_store", escape_by_store),
              ElementsAre(HasSubstr("a pointer into it is stored in memory")));
  EXPECT_THAT(remarks("escape_read_here", escape_read_here),
              ElementsAre(HasSubstr("sartor_local_saved()")));
  EXPECT_THAT(remarks("escape_into_itself", escape_into_itself),
              ElementsAre(HasSubstr("a pointer into it is stored in memory")));
}

TEST_F(LocalEscapesTest, ByFunctionsThatMayKeepAPointer) {
  EXPECT_THAT(remarks("escape_by_call", escape_by_call),
              ElementsAre(HasSubstr("escape_keep() is given a pointer into it and may keep it")));
  EXPECT_THAT(remarks("escape_by_unknown_call", escape_by_unknown_call),
              ElementsAre(HasSubstr("a function that is called by a pointer")));
}

TEST_F(LocalEscapesTest, PointersAreIntoItHoweverTheyAreDerived) {
  EXPECT_THAT(remarks("escape_end", escape_end), IsEmpty());
  EXPECT_THAT(remarks("escape_structure", escape_structure), IsEmpty());
  EXPECT_THAT(remarks("escape_number", escape_number), IsEmpty());
  EXPECT_THAT(remarks("escape_cursor", escape_cursor), IsEmpty());
  EXPECT_THAT(remarks("escape_returned", escape_returned), IsEmpty());
  EXPECT_THAT(remarks("escape_atomic", escape_atomic), IsEmpty());
}

TEST_F(LocalEscapesTest, PointersAreIntoItAfterTheyWereNumbers) {
  remarks("escape_boxed", escape_boxed);
  remarks("escape_halves", escape_halves);
  remarks("escape_bytes", escape_bytes);
  remarks("escape_tagged", escape_tagged);
  remarks("escape_found", escape_found);
  remarks("escape_compressed", escape_compressed);
}

TEST_F(LocalEscapesTest, NothingIsReportedWhereTheProgramHasDeclaredIt) {
  EXPECT_THAT(remarks("escape_saved", escape_saved), IsEmpty());
  EXPECT_THAT(remarks("escape_not", escape_not), IsEmpty());
}

TEST_F(LocalEscapesTest, WhatIsPublishedElsewhereHasNoEffect) {
  EXPECT_THAT(remarks("escape_published_elsewhere", escape_published_elsewhere),
              ElementsAre(HasSubstr("has no effect: sartor_publish() stands in publish()")));
}

TEST_F(LocalEscapesTest, LargeFramesAreKept) {
  EXPECT_THAT(remarks("escape_many", escape_many), IsEmpty());
}

} // namespace
