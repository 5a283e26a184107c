// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_SPACE_EXPRESSION_H
#define SARTOR_CORE_SPACE_EXPRESSION_H

#include <cstddef>
#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sartor::detail {

/// An arithmetic expression over named variables, in postfix order. All values are doubles. A value
/// type; several threads may evaluate it at a time.
///
/// In order of precedence, weakest first: `c ? a : b`, `||`, `&&`, comparisons, `+ -`, `* / %`,
/// signs, `^` (right-associative). Comparisons and `&& ||` return 1 or 0; a nonzero operand is
/// true. `%` is the remainder of fmod(). Functions: abs, sign, sqrt, exp, ln, log, log2, log10,
/// rint, sin, cos, tan, asin, acos, atan, sinh, cosh, tanh of one argument, atan2 of two, and min,
/// max, sum, avg of one or more. A variable is an identifier, or any text between backquotes.
class Expression {
public:
  /// The position where parsing stopped, from 0, the reason, and a remedy if one is known.
  struct Mistake {
    std::size_t position = 0;
    std::string message;
    std::string remedy = {};
  };
  struct Variable {
    std::string name;
    std::size_t position = 0; ///< Position of its first use, from 0.
  };

  static std::expected<Expression, Mistake> read(std::string_view text);

  /// In the order of their first use, each once.
  [[nodiscard]] const std::vector<Variable> &variables() const noexcept { return variables_; }
  /// `values` are those of variables(). NaN if an operation has no result.
  [[nodiscard]] double evaluate(std::span<const double> values) const;

private:
  friend class ExpressionReader;
  enum class Operation : unsigned char;
  struct Step {
    Operation operation;
    std::size_t count = 0; ///< Arguments of a function, or the index of a variable.
    double number = 0;
  };

  static double apply(Operation operation, std::span<const double> arguments);

  std::vector<Step> steps_;
  std::vector<Variable> variables_;
  std::size_t depth_ = 0; ///< Maximum number of values on the stack.
};

} // namespace sartor::detail

#endif
