// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reference_shapes.h"

#include <dlfcn.h>

#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sartor/sartor.hpp>

#include "folding.h"

namespace {

using testing::Contains;
using testing::Not;

const void *forked_code = nullptr;
const void *lent_code = nullptr;

bool is_of_the_program(const void *address) {
  Dl_info info;
  return dladdr(address, &info) != 0;
}

} // namespace

void call_three_times(void (*callback [[clang::noescape]])(long *), long *sum) {
  lent_code = reinterpret_cast<const void *>(callback);
  for (int i = 0; i < 3; ++i)
    callback(sum);
}

// NOLINTBEGIN(readability-identifier-naming,bugprone-reserved-identifier): the compiler's name
extern "C" void __kmpc_fork_call(void *, int, void (*region)(int *, int *, void *, void *),
                                 void *first, void *second) {
  forked_code = reinterpret_cast<const void *>(region);
  int thread = 0;
  region(&thread, &thread, first, second);
}
// NOLINTEND(readability-identifier-naming,bugprone-reserved-identifier)

namespace {

class References : public testing::Test {
protected:
  static Folding &folding() {
    static Folding folding;
    return folding;
  }

  static Shape shape(const std::string &handler, const sartor::Configuration &configuration = {},
                     const void *bound = nullptr, const InvariantFixture &invariant = {}) {
    return folding().shape(folding().context(handler, bound, invariant, configuration));
  }

  /// A setting of a point without a guard.
  sartor::Setting choice(const std::string &label, unsigned index) {
    return sartor::unguarded(runtime_.space().find(label)->choices.at(index));
  }

  sartor::Runtime runtime_;
};

TEST_F(References, ByAPointInlineTheFunctionThatIsChosen) {
  EXPECT_EQ(shape("by_pointer", {{"operation", choice("operation", 0)}}).calls, 0U);
  auto call = runtime_.handler<&by_pointer>();
  runtime_.specialize({{"operation", runtime_.space().find("operation")->choices.at(1)}});
  EXPECT_EQ(call(nullptr, negated, 5), -5);
  EXPECT_EQ(call(nullptr, twice, 5), 10);
  EXPECT_EQ(runtime_.statistics().guard_failures.at("operation"), 1U);
}

TEST_F(References, ByAPointReachThePointsOfItsChoices) {
  EXPECT_THAT(runtime_.space().find("step")->handlers, Contains("by_pointer"));
  const sartor::Configuration both{{"operation", choice("operation", 2)},
                                   {"step", sartor::unguarded(7)}};
  const Shape made = shape("by_pointer", both);
  EXPECT_EQ(made.calls, 0U) << made.text;
  auto *variant =
      folding().variant<long(const void *, Operation, long)>("by_pointer", nullptr, {}, both);
  EXPECT_EQ(variant(nullptr, stepped, 7), 14);
}

TEST_F(References, ByAConstantTableAreInlined) {
  const Shape made = shape("by_table", {{"operations", choice("operations", 0)}});
  EXPECT_EQ(made.calls, 0U) << made.text;
  EXPECT_EQ(made.loads, 0U) << made.text;
  auto call = runtime_.handler<&by_table>();
  runtime_.specialize(
      {{"operations", runtime_.space().find("operations")->choices.at(1)}, {"step", 5}});
  EXPECT_EQ(call(nullptr, &other_operations, 5), 10);
  EXPECT_EQ(call(nullptr, &other_operations, 6), 12);
  EXPECT_EQ(call(nullptr, &plain_operations, 6), -6);
}

TEST_F(References, ThatArePassedToAFunctionAreInlined) {
  EXPECT_EQ(shape("applied").calls, 0U);
  auto *variant = folding().variant<long(const void *, long)>("applied", nullptr, {});
  EXPECT_EQ(variant(nullptr, 10), 90);
}

TEST_F(References, ByTheVirtualTableOfAnInvariantObjectAreInlined) {
  const Figure &figure = square_of_three();
  InvariantFixture invariant;
  invariant.add(&figure, sizeof(Figure));
  const Shape made = shape("by_method", {}, &figure, invariant);
  EXPECT_EQ(made.calls, 0U) << made.text;
  EXPECT_EQ(made.loads, 0U) << made.text;
  auto *variant = folding().variant<long(const Figure *, long)>("by_method", &figure, invariant);
  EXPECT_EQ(variant(&figure, 2), 18);
}

TEST_F(References, ThatAreHandedOutAreToTheNativeFunction) {
  EXPECT_THAT(runtime_.space().find("step")->handlers, Not(Contains("handed_out")));
  auto call = runtime_.handler<&handed_out>();
  runtime_.specialize({{"handed", 5}});
  EXPECT_EQ(call(nullptr, 5), &stepped);
}

TEST_F(References, ThatAreLentCallSpecializedCode) {
  EXPECT_THAT(runtime_.space().find("step")->handlers, Contains("lent"));
  auto call = runtime_.handler<&lent>();
  runtime_.specialize({{"step", 5}});
  EXPECT_EQ(call(nullptr, 5), ::lent(nullptr, 5));
  call(nullptr, 5);
  EXPECT_FALSE(is_of_the_program(lent_code));
}

TEST_F(References, ByAParallelRegionCallSpecializedCode) {
  EXPECT_THAT(runtime_.space().find("tile")->handlers, Contains("forked"));
  auto call = runtime_.handler<&forked>();
  runtime_.specialize({{"tile", 4}});
  for (const long tile : {4L, 8L}) {
    std::array<long, 8> generic{};
    std::array<long, 8> specialized{};
    forked(nullptr, generic.data(), tile);
    EXPECT_TRUE(is_of_the_program(forked_code));
    call(nullptr, specialized.data(), tile);
    EXPECT_FALSE(is_of_the_program(forked_code));
    EXPECT_EQ(generic, specialized);
  }
  EXPECT_EQ(runtime_.statistics().guard_failures.at("tile"), 1U);
}

} // namespace
