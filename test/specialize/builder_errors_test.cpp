// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <sartor/builder.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sartor/builder_llvm.hpp>

#include "build_point.h"

namespace sartor::testing_custom {
namespace {

using testing::HasSubstr;
using Predicate = Builder::Predicate;

std::uint32_t sum(std::uint32_t a, std::uint32_t b) { return a + b; }

void expect_refused(const Generator &generator, const char *message,
                    ErrorCode code = ErrorCode::bad_generator) {
  const Built built(sum, generator);
  ASSERT_FALSE(built);
  EXPECT_EQ(built.failure().code, code) << built.failure().text();
  EXPECT_EQ(built.failure().subject, "point");
  EXPECT_THAT(built.failure().message, HasSubstr(message));
  EXPECT_FALSE(built.failure().remedy.empty());
}

TEST(BuilderErrorsTest, TypesThatDiffer) {
  expect_refused([](Builder &b) { b.result(b.add(b.argument(0), b.constant(1.0))); },
                 "combines u32 and f64");
}

TEST(BuilderErrorsTest, ResultOfTheWrongType) {
  expect_refused([](Builder &b) { b.result(b.constant(std::uint8_t{1})); },
                 "a result of type u8, the point's is u32");
}

TEST(BuilderErrorsTest, ConditionThatIsNone) {
  expect_refused([](Builder &b) { b.select(b.argument(0), b.argument(0), b.argument(1)); },
                 "u32 where a condition is needed");
}

TEST(BuilderErrorsTest, PointerThatIsNone) {
  expect_refused([](Builder &b) { b.load(types::u32, b.argument(0), b.argument(1)); },
                 "u32 where a pointer is needed");
}

TEST(BuilderErrorsTest, BitsOfAFloatingPointNumber) {
  expect_refused([](Builder &b) { b.and_(b.constant(1.0), b.constant(2.0)); },
                 "f64 where an integer is needed");
}

TEST(BuilderErrorsTest, SignedComparisonOfPointers) {
  expect_refused(
      [](Builder &b) { b.compare(Predicate::signed_less, b.address(&b), b.address(nullptr)); },
      "compares ptr as signed");
}

TEST(BuilderErrorsTest, ExtensionToFewerBits) {
  expect_refused([](Builder &b) { b.zero_extend(b.argument(0), types::u8); }, "brings u32 to u8");
}

TEST(BuilderErrorsTest, TruncationToMoreBits) {
  expect_refused([](Builder &b) { b.truncate(b.argument(0), types::u64); }, "brings u32 to u64");
}

TEST(BuilderErrorsTest, ReinterpretationOfAnotherSize) {
  expect_refused([](Builder &b) { b.as(b.argument(0), types::pointer); }, "takes u32 as ptr");
}

TEST(BuilderErrorsTest, ConstantThatTheTypeCannotHold) {
  expect_refused([](Builder &b) { b.result(b.constant(types::u32, -1)); }, "-1 does not fit");
}

TEST(BuilderErrorsTest, TypeThatNobodyHas) {
  expect_refused([](Builder &b) { (void)b.constant({PointType::Class::integer, 7, false}, 1); },
                 "type u7");
}

TEST(BuilderErrorsTest, ArgumentThatThePointDoesNotHave) {
  expect_refused([](Builder &b) { b.result(b.argument(2)); }, "argument 2 of 2");
}

TEST(BuilderErrorsTest, OperandOfNobody) {
  expect_refused([](Builder &b) { b.result({}); }, "this builder has not given");
}

TEST(BuilderErrorsTest, OperandOfAnotherBuilder) {
  Builder::Operand kept;
  const Built first(sum, [&](Builder &b) { b.result(kept = b.add(b.argument(0), b.argument(1))); });
  ASSERT_TRUE(first);
  expect_refused([&](Builder &b) { b.result(kept); }, "this builder has not given");
}

TEST(BuilderErrorsTest, BlockOfNobody) {
  expect_refused([](Builder &b) { b.jump({}); }, "a block that this builder has not given");
}

TEST(BuilderErrorsTest, VariableSetToAnotherType) {
  expect_refused([](Builder &b) { b.set(b.variable(b.argument(0)), b.constant(true)); },
                 "a variable of type u32 to bool");
}

TEST(BuilderErrorsTest, HiddenCondition) {
  expect_refused([](Builder &b) { b.hide(b.constant(true)); }, "hides bool");
}

TEST(BuilderErrorsTest, NoEndAtAll) {
  expect_refused([](Builder &) {}, "leaves a block without an end");
}

TEST(BuilderErrorsTest, BlockLeftWithoutAnEnd) {
  expect_refused([](Builder &b) { b.enter(b.block()); }, "leaves a block without an end");
}

TEST(BuilderErrorsTest, CodeAfterTheEnd) {
  expect_refused(
      [](Builder &b) {
        b.result(b.argument(0));
        b.generic();
      },
      "after the end of a block");
}

TEST(BuilderErrorsTest, BlockEnteredTwice) {
  expect_refused(
      [](Builder &b) {
        const auto block = b.block();
        b.jump(block);
        b.enter(block);
        b.result(b.argument(0));
        b.enter(block);
      },
      "enters a block twice");
}

TEST(BuilderErrorsTest, JumpToABlockThatIsNeverFilled) {
  expect_refused([](Builder &b) { b.jump(b.block()); }, "never fills");
}

TEST(BuilderErrorsTest, BlockThatNobodyUsesIsNoMistake) {
  const Built built(sum, [](Builder &b) {
    (void)b.block();
    b.result(b.argument(0));
  });
  EXPECT_TRUE(built) << built.failure().text();
}

TEST(BuilderErrorsTest, UnknownSymbol) {
  expect_refused([](Builder &b) { b.call("no_such_function", types::u32, {}); },
                 "\"no_such_function\"");
}

TEST(BuilderErrorsTest, TableWithoutValues) {
  expect_refused([](Builder &b) { (void)b.table(std::vector<int>{}); }, "without values");
}

TEST(BuilderErrorsTest, ValueThatIsNotComputedOnAllWays) {
  expect_refused(
      [](Builder &b) {
        const auto then = b.block();
        const auto otherwise = b.block();
        b.branch(b.compare(Predicate::equal, b.argument(0), b.argument(1)), then, otherwise);
        b.enter(then);
        const auto product = b.multiply(b.argument(0), b.argument(1));
        b.result(product);
        b.enter(otherwise);
        b.result(product);
      },
      "does not dominate", ErrorCode::generated_invalid_ir);
}

TEST(BuilderErrorsTest, TheSameCaseTwice) {
  expect_refused(
      [](Builder &b) {
        const auto block = b.block();
        b.switch_on(b.argument(0), {{1, block}, {1, block}}, block);
        b.enter(block);
        b.result(b.argument(1));
      },
      "Duplicate integer", ErrorCode::generated_invalid_ir);
}

TEST(BuilderErrorsTest, InvalidIrOfAnExperts) {
  expect_refused(
      [](Builder &b) {
        const LlvmBuilder llvm = llvm_builder(b);
        llvm.ir.CreateRetVoid();
      },
      "return type", ErrorCode::generated_invalid_ir);
}

TEST(BuilderErrorsTest, ExceptionOfTheGenerators) {
  expect_refused([](Builder &) { throw std::runtime_error("no routes"); },
                 "threw an exception: no routes");
}

TEST(BuilderErrorsTest, SomethingElseThrown) {
  expect_refused([](Builder &) { throw 7; }, "not a std::exception");
}

TEST(BuilderErrorsTest, MisuseThatTheGeneratorCaught) {
  expect_refused(
      [](Builder &b) {
        try {
          b.result(b.constant(true));
        } catch (const Error &) {
        }
        b.result(b.argument(0));
      },
      "a result of type bool");
}

TEST(BuilderErrorsTest, RefusalOfTheGenerators) {
  expect_refused([](Builder &b) { b.fail("the table is empty"); }, "the table is empty");
}

TEST(BuilderErrorsTest, SettingWithSeveralValues) {
  const Built built(sum, [](Builder &b) { b.result(b.argument(0)); }, {.setting = any_of({1, 2})});
  ASSERT_FALSE(built);
  EXPECT_EQ(built.failure().code, ErrorCode::bad_value_type);
  EXPECT_EQ(built.failure().subject, "point");
}

} // namespace
} // namespace sartor::testing_custom
