// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/space/expression.h"

#include <cmath>
#include <random>

#include <gmock/gmock.h>

namespace sartor::detail {

namespace {

using ::testing::HasSubstr;

/// The value of an expression with a = 2, b = 3 and `c d` = 5.
double value_of(const std::string &text) {
  const auto expression = Expression::read(text);
  if (!expression) {
    ADD_FAILURE() << text << ": " << expression.error().message;
    return 0;
  }
  std::vector<double> values;
  for (const auto &[name, position] : expression->variables())
    values.push_back(name == "a" ? 2 : name == "b" ? 3 : 5);
  return expression->evaluate(values);
}

TEST(Expression, OperatorsHaveTheirUsualPrecedence) {
  EXPECT_EQ(value_of("1 + 2 * 3"), 7);
  EXPECT_EQ(value_of("(1 + 2) * 3"), 9);
  EXPECT_EQ(value_of("10 - 4 - 3"), 3);
  EXPECT_EQ(value_of("20 / 2 / 5"), 2);
  EXPECT_EQ(value_of("17 % 5 * 2"), 4);
  EXPECT_EQ(value_of("-7 % 5"), -2);
  EXPECT_EQ(value_of("2^3^2"), 512);
  EXPECT_EQ(value_of("-2^2"), -4);
  EXPECT_EQ(value_of("2^-1"), 0.5);
  EXPECT_EQ(value_of("--2 + +3"), 5);
  EXPECT_EQ(value_of("1 + 1 < 3 && 2 > 1 || 0"), 1);
  EXPECT_EQ(value_of("0 || 0 && 1"), 0);
  EXPECT_EQ(value_of("1 < 2 == 1"), 1);
  EXPECT_EQ(value_of("3 <= 3 && 3 >= 3 && 3 != 4"), 1);
}

TEST(Expression, ChoicesTakeTheSecondOrTheThird) {
  EXPECT_EQ(value_of("a > b ? 10 : 20"), 20);
  EXPECT_EQ(value_of("a < b ? a < 1 ? 1 : 2 : 3"), 2);
  EXPECT_EQ(value_of("0 ? 1 : 0 ? 2 : 3"), 3);
}

TEST(Expression, VariablesAreIdentifiersOrQuoted) {
  EXPECT_EQ(value_of("a * `c d` + `b`"), 13);
  const auto read = Expression::read("b + a + `a`");
  ASSERT_TRUE(read);
  ASSERT_EQ(read->variables().size(), 2U);
  EXPECT_EQ(read->variables()[0].name, "b");
  EXPECT_EQ(read->variables()[1].position, 4U);
}

TEST(Expression, FunctionsTakeTheirArguments) {
  EXPECT_EQ(value_of("min(3, a, 7)"), 2);
  EXPECT_EQ(value_of("max(a)"), 2);
  EXPECT_EQ(value_of("sum(1, 2, 3) + avg(1, 2, 3)"), 8);
  EXPECT_EQ(value_of("abs(-3) + sign(-2) + rint(2.6)"), 5);
  EXPECT_EQ(value_of("log2(8) + log10(1000) + sqrt(9)"), 9);
  EXPECT_EQ(value_of("ln(exp(1)) + log(exp(1))"), 2);
  EXPECT_EQ(value_of("atan2(0, 1) + sin(0) + cos(0)"), 1);
}

TEST(Expression, NumbersAreDecimal) {
  EXPECT_EQ(value_of(".5 + 1e3 + 2.5e-1"), 1000.75);
  EXPECT_FALSE(Expression::read("1e999"));
  EXPECT_FALSE(Expression::read("."));
}

TEST(Expression, OperationsWithoutAResultAreNotANumber) {
  EXPECT_TRUE(std::isnan(value_of("0 / 0")));
  EXPECT_TRUE(std::isnan(value_of("sqrt(-1)")));
  EXPECT_TRUE(std::isnan(value_of("1 % 0")));
}

TEST(Expression, MistakesHaveAPosition) {
  const auto mistake = [](const std::string &text) {
    const auto read = Expression::read(text);
    EXPECT_FALSE(read) << text;
    return read ? Expression::Mistake{} : read.error();
  };
  EXPECT_EQ(mistake("a < < b").position, 4U);
  EXPECT_EQ(mistake("(a").position, 2U);
  EXPECT_EQ(mistake("").position, 0U);
  EXPECT_THAT(mistake("f(a)").message, HasSubstr("no function \"f\""));
  EXPECT_THAT(mistake("atan2(a)").message, HasSubstr("takes 2 arguments, not 1"));
  EXPECT_THAT(mistake("a = 2").remedy, HasSubstr("=="));
  for (const char *text : {"a b", "a,b", ")", "a)", "a ? b", "a ? : b", "min()", "min(a", "`a", "$",
                           "a &", "a & b", "!a"})
    mistake(text);
}

TEST(Expression, DeepNestingIsRefused) {
  EXPECT_TRUE(Expression::read(std::string(50, '(') + "1" + std::string(50, ')')));
  EXPECT_FALSE(Expression::read(std::string(100'000, '(') + "1" + std::string(100'000, ')')));
  EXPECT_FALSE(Expression::read(std::string(100'000, '-') + "1"));
  std::string powers = "1";
  for (int i = 0; i < 100'000; ++i)
    powers += "^1";
  EXPECT_FALSE(Expression::read(powers));
  std::string terms = "1";
  for (int i = 0; i < 10'000; ++i)
    terms += "+1";
  EXPECT_EQ(value_of(terms), 10'001);
}

/// A random expression without redundant parentheses, and its value.
struct Written {
  std::string text;
  double value;
  int strength; ///< The precedence of its outermost operator: 0 for comparisons to 4 for single
                ///< values.
};
Written write(std::mt19937 &random, int depth) {
  const auto pick = [&](int bound) {
    return static_cast<int>(random() % static_cast<unsigned>(bound));
  };
  if (depth == 0 || pick(4) == 0) {
    const int number = pick(9);
    return {std::to_string(number), static_cast<double>(number), 4};
  }
  struct Operator {
    const char *token;
    int strength;
    double (*apply)(double, double);
  };
  static constexpr Operator operators[] = {
      {"<", 0, [](double a, double b) -> double { return a < b; }},
      {"==", 0, [](double a, double b) -> double { return a == b; }},
      {"+", 1, [](double a, double b) { return a + b; }},
      {"-", 1, [](double a, double b) { return a - b; }},
      {"*", 2, [](double a, double b) { return a * b; }},
      {"%", 2, [](double a, double b) { return std::fmod(a, b); }},
  };
  const Operator &chosen = operators[pick(std::size(operators))];
  const auto in = [](const Written &part, bool needs) {
    return needs ? "(" + part.text + ")" : part.text;
  };
  const Written left = write(random, depth - 1);
  const Written right = write(random, depth - 1);
  return {in(left, left.strength < chosen.strength) + chosen.token +
              in(right, right.strength <= chosen.strength),
          chosen.apply(left.value, right.value), chosen.strength};
}

TEST(Expression, RandomOnesHaveTheValueOfTheirTree) {
  std::mt19937 random(20261127);
  for (int i = 0; i < 5'000; ++i) {
    const Written written = write(random, 5);
    const double value = value_of(written.text);
    EXPECT_TRUE(value == written.value || (std::isnan(value) && std::isnan(written.value)))
        << written.text << " is " << value << ", not " << written.value;
  }
}

} // namespace

} // namespace sartor::detail
