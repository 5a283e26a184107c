// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <sartor/builder.hpp>

#include <array>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sartor/builder_llvm.hpp>

#include "build_point.h"

extern "C" int builder_test_negate(signed char x) { return -x; }

namespace sartor::testing_custom {
namespace {

using Operand = Builder::Operand;
using Predicate = Builder::Predicate;

std::uint32_t sum(std::uint32_t a, std::uint32_t b) { return a + b; }
std::int32_t signed_sum(std::int32_t a, std::int32_t b) { return a + b; }
std::int16_t short_difference(std::int16_t a, std::int16_t b) { return std::int16_t(a - b); }
double product(double a, double b) { return a * b; }
bool exclusive(bool a, bool b) { return a != b; }
std::uint64_t first(const std::uint64_t *words) { return words[0]; }

/// A generator of one operation on the point's two arguments.
Generator operation(Operand (Builder::*member)(Operand, Operand)) {
  return [member](Builder &b) { b.result((b.*member)(b.argument(0), b.argument(1))); };
}

const std::uint32_t kWords[] = {0, 1, 2, 31, 32, 33, 0x7fffffff, 0x80000000, 0xffffffff};

void expect_operation(Operand (Builder::*member)(Operand, Operand),
                      std::uint32_t (*expected)(std::uint32_t, std::uint32_t)) {
  const Built code(sum, operation(member));
  ASSERT_TRUE(code) << code.failure().text();
  for (const std::uint32_t a : kWords)
    for (const std::uint32_t b : kWords)
      EXPECT_EQ(code(a, b), expected(a, b)) << a << ", " << b;
}

TEST(BuilderTest, DescribesThePoint) {
  const Built code(short_difference,
                   [](Builder &b) {
                     EXPECT_EQ(b.label(), "point");
                     EXPECT_EQ(b.kind(), "kind");
                     EXPECT_EQ(b.handler(), "handler");
                     EXPECT_EQ(b.setting(), Value("tree"));
                     EXPECT_EQ(b.result_type(), types::i16);
                     EXPECT_THAT(b.argument_types(), testing::ElementsAre(types::i16, types::i16));
                     b.result(b.argument(0));
                   },
                   {.setting = "tree"});
  EXPECT_TRUE(code) << code.failure().text();
}

TEST(BuilderTest, ReportsTheValuesOfArgumentsThatAreConstant) {
  const Built code(short_difference,
                   [](Builder &b) {
                     EXPECT_EQ(b.argument_value(0), std::nullopt);
                     EXPECT_EQ(b.argument_value(1), Value(-3));
                     b.result(b.argument(1));
                   },
                   {.constants = {"", "-3"}});
  ASSERT_TRUE(code) << code.failure().text();
  EXPECT_EQ(code(7, 7), -3);
}

TEST(BuilderTest, ReportsTheAddressOfABoundPointer) {
  const Built code(first,
                   [](Builder &b) {
                     EXPECT_EQ(b.argument_value(0), Value(4096));
                     b.result(b.constant(std::uint64_t{5}));
                   },
                   {.constants = {"inttoptr (i64 4096 to ptr)"}});
  ASSERT_TRUE(code) << code.failure().text();
  EXPECT_EQ(code(nullptr), 5U);
}

TEST(BuilderTest, Adds) {
  expect_operation(&Builder::add, [](std::uint32_t a, std::uint32_t b) { return a + b; });
}
TEST(BuilderTest, Subtracts) {
  expect_operation(&Builder::subtract, [](std::uint32_t a, std::uint32_t b) { return a - b; });
}
TEST(BuilderTest, Multiplies) {
  expect_operation(&Builder::multiply, [](std::uint32_t a, std::uint32_t b) { return a * b; });
}
TEST(BuilderTest, Ands) {
  expect_operation(&Builder::and_, [](std::uint32_t a, std::uint32_t b) { return a & b; });
}
TEST(BuilderTest, Ors) {
  expect_operation(&Builder::or_, [](std::uint32_t a, std::uint32_t b) { return a | b; });
}
TEST(BuilderTest, Xors) {
  expect_operation(&Builder::xor_, [](std::uint32_t a, std::uint32_t b) { return a ^ b; });
}
TEST(BuilderTest, ShiftsLeftByTheCountModuloTheWidth) {
  expect_operation(&Builder::shift_left,
                   [](std::uint32_t a, std::uint32_t b) { return a << (b % 32); });
}
TEST(BuilderTest, ShiftsRightFillingWithZeros) {
  expect_operation(&Builder::shift_right_logical,
                   [](std::uint32_t a, std::uint32_t b) { return a >> (b % 32); });
}
TEST(BuilderTest, ShiftsRightFillingWithTheSign) {
  expect_operation(&Builder::shift_right_arithmetic, [](std::uint32_t a, std::uint32_t b) {
    return static_cast<std::uint32_t>(static_cast<std::int32_t>(a) >> (b % 32));
  });
}

TEST(BuilderTest, CalculatesWithFloatingPointNumbers) {
  const Built code(product, [](Builder &b) {
    const Operand x = b.argument(0);
    const Operand y = b.argument(1);
    b.result(b.subtract(b.multiply(b.add(x, y), x), b.constant(0.5)));
  });
  ASSERT_TRUE(code) << code.failure().text();
  EXPECT_EQ(code(1.5, 2.25), (1.5 + 2.25) * 1.5 - 0.5);
}

TEST(BuilderTest, ExtendsWithZerosOrTheSignAndTruncates) {
  const Built code(sum, [](Builder &b) {
    const Operand byte = b.truncate(b.argument(0), types::u8);
    const Operand zeros = b.zero_extend(byte, types::u32);
    const Operand sign = b.sign_extend(byte, types::u32);
    b.result(b.add(b.multiply(zeros, b.argument(1)), sign));
  });
  ASSERT_TRUE(code) << code.failure().text();
  EXPECT_EQ(code(0x1280, 1000), 0x80U * 1000 + 0xffffff80U);
  EXPECT_EQ(code(0x1205, 1000), 5U * 1000 + 5);
}

class PredicateTest : public testing::TestWithParam<Predicate> {};

bool holds(Predicate predicate, std::uint32_t a, std::uint32_t b) {
  const auto x = static_cast<std::int32_t>(a);
  const auto y = static_cast<std::int32_t>(b);
  switch (predicate) {
  case Predicate::equal:
    return a == b;
  case Predicate::not_equal:
    return a != b;
  case Predicate::less:
    return a < b;
  case Predicate::less_or_equal:
    return a <= b;
  case Predicate::greater:
    return a > b;
  case Predicate::greater_or_equal:
    return a >= b;
  case Predicate::signed_less:
    return x < y;
  case Predicate::signed_less_or_equal:
    return x <= y;
  case Predicate::signed_greater:
    return x > y;
  case Predicate::signed_greater_or_equal:
    return x >= y;
  }
  return false;
}

TEST_P(PredicateTest, ComparesIntegers) {
  const Built code(sum, [](Builder &b) {
    b.result(b.zero_extend(b.compare(GetParam(), b.argument(0), b.argument(1)), types::u32));
  });
  ASSERT_TRUE(code) << code.failure().text();
  for (const std::uint32_t a : kWords)
    for (const std::uint32_t b : kWords)
      EXPECT_EQ(code(a, b), holds(GetParam(), a, b)) << a << ", " << b;
}

INSTANTIATE_TEST_SUITE_P(All, PredicateTest,
                         testing::Values(Predicate::equal, Predicate::not_equal, Predicate::less,
                                         Predicate::less_or_equal, Predicate::greater,
                                         Predicate::greater_or_equal, Predicate::signed_less,
                                         Predicate::signed_less_or_equal, Predicate::signed_greater,
                                         Predicate::signed_greater_or_equal));

TEST(BuilderTest, ComparesFloatingPointNumbersAsCDoes) {
  const Built code(product, [](Builder &b) {
    const Operand less = b.compare(Predicate::less, b.argument(0), b.argument(1));
    const Operand unequal = b.compare(Predicate::not_equal, b.argument(0), b.argument(1));
    const Operand two = b.select(unequal, b.constant(2.0), b.constant(0.0));
    b.result(b.add(two, b.select(less, b.constant(1.0), b.constant(0.0))));
  });
  ASSERT_TRUE(code) << code.failure().text();
  EXPECT_EQ(code(1, 2), 3);
  EXPECT_EQ(code(2, 1), 2);
  EXPECT_EQ(code(2, 2), 0);
  EXPECT_EQ(code(std::numeric_limits<double>::quiet_NaN(), 1), 2);
}

TEST(BuilderTest, TakesAndGivesBooleans) {
  const Built code(exclusive, [](Builder &b) {
    b.result(b.select(b.argument(0), b.constant(true), b.argument(1)));
  });
  ASSERT_TRUE(code) << code.failure().text();
  for (const bool x : {false, true})
    for (const bool y : {false, true})
      EXPECT_EQ(code(x, y), x || y);
}

TEST(BuilderTest, LoopsOverAVariable) {
  const Built code(sum, [](Builder &b) { // a * b by repeated addition
    auto left = b.variable(b.argument(1));
    auto total = b.variable(b.constant(0U));
    const auto head = b.block();
    const auto body = b.block();
    const auto end = b.block();
    b.jump(head);
    b.enter(head);
    b.branch(b.compare(Predicate::equal, b.get(left), b.constant(0U)), end, body);
    b.enter(body);
    b.set(total, b.add(b.get(total), b.argument(0)));
    b.set(left, b.subtract(b.get(left), b.constant(1U)));
    b.jump(head);
    b.enter(end);
    b.result(b.get(total));
  });
  ASSERT_TRUE(code) << code.failure().text();
  EXPECT_EQ(code(7, 6), 42U);
  EXPECT_EQ(code(7, 0), 0U);
}

TEST(BuilderTest, SwitchesAndFallsBackToTheGenericFunction) {
  const Built code(signed_sum, [](Builder &b) {
    const auto three = b.block();
    const auto minus = b.block();
    const auto other = b.block();
    b.switch_on(b.argument(0), {{3, three}, {-1, minus}}, other);
    b.enter(three);
    b.result(b.constant(33));
    b.enter(minus);
    b.result(b.constant(-11));
    b.enter(other);
    b.result(b.generic());
  });
  ASSERT_TRUE(code) << code.failure().text();
  EXPECT_EQ(code(3, 9), 33);
  EXPECT_EQ(code(-1, 9), -11);
  EXPECT_EQ(code(4, 9), 13);
}

TEST(BuilderTest, SwitchesOnNegativeNumbersWhateverTheTypeSays) {
  const Built code(sum, [](Builder &b) {
    const auto minus = b.block();
    const auto other = b.block();
    b.switch_on(b.argument(0), {{-1, minus}, {0x80000000U, minus}}, other);
    b.enter(minus);
    b.result(b.constant(1U));
    b.enter(other);
    b.result(b.constant(0U));
  });
  ASSERT_TRUE(code) << code.failure().text();
  EXPECT_EQ(code(0xffffffff, 0), 1U);
  EXPECT_EQ(code(0x80000000, 0), 1U);
  EXPECT_EQ(code(1, 0), 0U);
}

TEST(BuilderTest, LoadsFromATable) {
  const Built code(sum, [](Builder &b) {
    const Operand numbers = b.table(std::vector<std::uint16_t>{10, 20, 65535});
    const Operand flags = b.table(std::array{true, false, true});
    const Operand number = b.load(types::u16, numbers, b.argument(0));
    const Operand flag = b.load(types::boolean, flags, b.argument(0));
    b.result(b.add(b.zero_extend(number, types::u32), b.zero_extend(flag, types::u32)));
  });
  ASSERT_TRUE(code) << code.failure().text();
  EXPECT_EQ(code(0, 0), 11U);
  EXPECT_EQ(code(1, 0), 20U);
  EXPECT_EQ(code(2, 0), 65536U);
}

TEST(BuilderTest, LoadsFromTheProgramEachTime) {
  static volatile std::uint32_t cells[4] = {5, 6, 7, 8};
  const Built code(sum, [](Builder &b) {
    const Operand second = b.offset(b.address(cells), b.constant(4U));
    b.result(b.load(types::u32, second, b.truncate(b.argument(0), types::u8)));
  });
  ASSERT_TRUE(code) << code.failure().text();
  EXPECT_EQ(code(1, 0), 7U);
  cells[2] = 70;
  EXPECT_EQ(code(1, 0), 70U);
}

TEST(BuilderTest, TakesPointersAsIntegersAndBack) {
  static const std::uint64_t words[] = {11, 22};
  const Built code(first, [](Builder &b) {
    const Operand address = b.as(b.argument(0), types::u64);
    const Operand next = b.as(b.add(address, b.constant(std::uint64_t{8})), types::pointer);
    b.result(b.load(types::u64, next, b.constant(0U)));
  });
  ASSERT_TRUE(code) << code.failure().text();
  EXPECT_EQ(code(words), 22U);
}

int calls;
std::uint16_t count_and_widen(signed char a, bool b) {
  ++calls;
  return static_cast<std::uint16_t>(a * (b ? 2 : 1));
}

TEST(BuilderTest, CallsAFunctionByItsAddress) {
  const Built code(sum, [](Builder &b) {
    const Operand byte = b.truncate(b.argument(0), types::u8);
    const Operand flag = b.compare(Predicate::not_equal, b.argument(1), b.constant(0U));
    b.result(b.zero_extend(b.call(count_and_widen, byte, flag), types::u32));
  });
  ASSERT_TRUE(code) << code.failure().text();
  calls = 0;
  EXPECT_EQ(code(0xfff, 3), 0xfffeU); // twice -1
  EXPECT_EQ(code(5, 0), 5U);
  EXPECT_EQ(calls, 2); // although the wrapper's first body had no effects
}

TEST(BuilderTest, CallsAFunctionByItsSymbol) {
  const Built code(signed_sum, [](Builder &b) {
    const Operand byte = b.truncate(b.argument(0), types::i8);
    b.result(b.call("builder_test_negate", types::i32, {byte}));
  });
  ASSERT_TRUE(code) << code.failure().text();
  EXPECT_EQ(code(-5, 0), 5);
}

void count() { ++calls; }

TEST(BuilderTest, CallsAFunctionThatReturnsNothing) {
  const Built code(sum, [](Builder &b) {
    b.call(count);
    b.result(b.argument(0));
  });
  ASSERT_TRUE(code) << code.failure().text();
  calls = 0;
  EXPECT_EQ(code(5, 0), 5U);
  EXPECT_EQ(calls, 1);
}

TEST(BuilderTest, LetsExpertsWriteIr) {
  const Built code(sum, [](Builder &b) {
    const LlvmBuilder llvm = llvm_builder(b);
    EXPECT_EQ(llvm.generic.getFunctionType(), llvm.function.getFunctionType());
    llvm::Value *ones =
        llvm.ir.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, llvm.function.getArg(0));
    b.result(b.add(operand_of(b, ones, types::u32), b.argument(1)));
  });
  ASSERT_TRUE(code) << code.failure().text();
  EXPECT_EQ(code(0xff, 100), 108U);
}

} // namespace
} // namespace sartor::testing_custom
