// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <sartor/value.hpp>

#include <cstdint>
#include <gtest/gtest.h>
#include <limits>

#include "core/space/fit.h"

namespace sartor {
namespace {

using Class = PointType::Class;

constexpr PointType u8{Class::integer, 8, false};
constexpr PointType i8{Class::integer, 8, true};
constexpr PointType u64{Class::integer, 64, false};
constexpr PointType i64{Class::integer, 64, true};
constexpr PointType boolean{Class::boolean, 1, false};
constexpr PointType f32{Class::floating, 32, true};
constexpr PointType f64{Class::floating, 64, true};
constexpr PointType ptr{Class::pointer, 64, false};

TEST(Value, EqualNumbersOfDifferentTypesAreOneValue) {
  enum class Color : unsigned char { red = 3 };
  EXPECT_EQ(Value(std::uint64_t{3}), Value(std::int8_t{3}));
  EXPECT_EQ(Value(Color::red), Value(3));
  EXPECT_EQ(Value(true), Value(1));
  EXPECT_NE(Value(3), Value(3.0));
}

TEST(Value, TextIsWhatAPersonReads) {
  EXPECT_EQ(Value(16).text(), "16");
  EXPECT_EQ(Value(-1).text(), "-1");
  EXPECT_EQ(Value(0.5).text(), "0.5");
  EXPECT_EQ(Value("table_a").text(), "table_a");
  EXPECT_EQ(Value(std::numeric_limits<std::uint64_t>::max()).text(), "18446744073709551615");
}

TEST(Value, LargeUnsignedNumbersSortAboveAllOthers) {
  EXPECT_LT(Value(std::numeric_limits<std::int64_t>::max()),
            Value(std::numeric_limits<std::uint64_t>::max()));
}

TEST(Fit, IntegersAtTheBoundsOfTheirTypeFit) {
  EXPECT_TRUE(fit(255, u8));
  EXPECT_TRUE(fit(0, u8));
  EXPECT_TRUE(fit(127, i8));
  EXPECT_TRUE(fit(-128, i8));
  EXPECT_TRUE(fit(std::numeric_limits<std::uint64_t>::max(), u64));
  EXPECT_TRUE(fit(std::numeric_limits<std::int64_t>::max(), i64));
  EXPECT_TRUE(fit(std::numeric_limits<std::int64_t>::min(), i64));
}

TEST(Fit, IntegersBeyondTheBoundsOfTheirTypeDoNot) {
  EXPECT_FALSE(fit(256, u8));
  EXPECT_FALSE(fit(-1, u8));
  EXPECT_FALSE(fit(128, i8));
  EXPECT_FALSE(fit(-129, i8));
  EXPECT_FALSE(fit(-1, u64));
  EXPECT_FALSE(fit(std::numeric_limits<std::uint64_t>::max(), i64));
}

TEST(Fit, FloatingPointNumbersAndSymbolsAreNoIntegers) {
  EXPECT_FALSE(fit(2.0, u8));
  EXPECT_FALSE(fit("two", u8));
}

TEST(Fit, BooleansAreZeroOrOne) {
  EXPECT_TRUE(fit(true, boolean));
  EXPECT_TRUE(fit(0, boolean));
  EXPECT_FALSE(fit(2, boolean));
}

TEST(Fit, IntegersBecomeFloatingPointNumbersWhereThePointIsOne) {
  EXPECT_EQ(fit(2, f64), Value(2.0));
  EXPECT_EQ(fit(-2, f32), Value(-2.0));
}

TEST(Fit, FloatsAreRoundedAsThePointHoldsThem) {
  EXPECT_EQ(fit(0.1, f32), Value(static_cast<double>(0.1F)));
  EXPECT_EQ(fit(0.1, f64), Value(0.1));
}

TEST(Fit, NumbersThatAFloatingPointPointCannotHoldAreRefused) {
  EXPECT_FALSE(fit(1e300, f32));
  EXPECT_FALSE(fit(std::numeric_limits<std::int64_t>::max(), f64));
  EXPECT_FALSE(fit(std::numeric_limits<double>::quiet_NaN(), f64));
  EXPECT_FALSE(fit("half", f64));
}

TEST(Fit, InfinityIsAFloatingPointNumber) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(fit(infinity, f32), Value(infinity));
}

TEST(Fit, PointersAreSymbolsOrAddresses) {
  EXPECT_TRUE(fit("table_a", ptr));
  EXPECT_TRUE(fit(std::uint64_t{0xffff'8000'0000'0000}, ptr));
  EXPECT_FALSE(fit(-1, ptr));
  EXPECT_FALSE(fit(1.5, ptr));
}

TEST(Fit, FailureNamesValueAndType) {
  const auto failed = fit(256, u8);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, ErrorCode::bad_value_type);
  EXPECT_EQ(failed.error().message, "256 does not fit the type u8");
}

} // namespace
} // namespace sartor
