// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/space/expression.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numeric>
#include <utility>

namespace sartor::detail {

enum class Expression::Operation : unsigned char {
  number,
  variable,
  choose,
  either,
  both,
  less,
  less_or_equal,
  greater,
  greater_or_equal,
  equal,
  not_equal,
  add,
  subtract,
  multiply,
  divide,
  remainder,
  negate,
  power,
  absolute,
  sign,
  sqrt,
  exp,
  ln,
  log2,
  log10,
  rint,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  sinh,
  cosh,
  tanh,
  atan2,
  min,
  max,
  sum,
  mean,
};

/// Parses one expression by recursive descent, and writes its steps in postfix order.
class ExpressionReader {
  using Operation = Expression::Operation;
  using Mistake = Expression::Mistake;
  using Done = std::expected<void, Mistake>;

public:
  explicit ExpressionReader(std::string_view text) : text_(text) {}

  std::expected<Expression, Mistake> read() {
    if (auto done = choice(); !done)
      return std::unexpected(std::move(done.error()));
    skip_blanks();
    if (at_ < text_.size()) {
      if (text_[at_] == '=')
        return wrong("assigns a value", "compare with ==");
      if (text_[at_] == ',')
        return wrong("is a list", "write several relations");
      return wrong("an operator is missing");
    }
    read_.depth_ = most_;
    return std::move(read_);
  }

private:
  /// Each level of parentheses, signs and powers takes stack.
  static constexpr std::size_t kMostNested = 200;

  struct Binary {
    std::string_view token;
    Operation operation;
  };
  struct Function {
    std::string_view name;
    Operation operation;
    std::size_t least;
    std::size_t most;
  };
  static constexpr std::size_t kAny = static_cast<std::size_t>(-1);
  static constexpr auto kFunctions = std::to_array<Function>({
      {"abs", Operation::absolute, 1, 1}, {"sign", Operation::sign, 1, 1},
      {"sqrt", Operation::sqrt, 1, 1},    {"exp", Operation::exp, 1, 1},
      {"ln", Operation::ln, 1, 1},        {"log", Operation::ln, 1, 1},
      {"log2", Operation::log2, 1, 1},    {"log10", Operation::log10, 1, 1},
      {"rint", Operation::rint, 1, 1},    {"sin", Operation::sin, 1, 1},
      {"cos", Operation::cos, 1, 1},      {"tan", Operation::tan, 1, 1},
      {"asin", Operation::asin, 1, 1},    {"acos", Operation::acos, 1, 1},
      {"atan", Operation::atan, 1, 1},    {"sinh", Operation::sinh, 1, 1},
      {"cosh", Operation::cosh, 1, 1},    {"tanh", Operation::tanh, 1, 1},
      {"atan2", Operation::atan2, 2, 2},  {"min", Operation::min, 1, kAny},
      {"max", Operation::max, 1, kAny},   {"sum", Operation::sum, 1, kAny},
      {"avg", Operation::mean, 1, kAny},
  });
  // Weakest first. Of tokens with a common prefix, the longer is first.
  static constexpr auto kLevels = std::to_array<std::array<Binary, 6>>({
      {{{"||", Operation::either}}},
      {{{"&&", Operation::both}}},
      {{{"<=", Operation::less_or_equal},
        {">=", Operation::greater_or_equal},
        {"==", Operation::equal},
        {"!=", Operation::not_equal},
        {"<", Operation::less},
        {">", Operation::greater}}},
      {{{"+", Operation::add}, {"-", Operation::subtract}}},
      {{{"*", Operation::multiply}, {"/", Operation::divide}, {"%", Operation::remainder}}},
  });

  [[nodiscard]] std::unexpected<Mistake> wrong(std::string message, std::string remedy = {}) const {
    return wrong(at_, std::move(message), std::move(remedy));
  }
  static std::unexpected<Mistake> wrong(std::size_t position, std::string message,
                                        std::string remedy = {}) {
    return std::unexpected(Mistake{position, std::move(message), std::move(remedy)});
  }

  void skip_blanks() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r'))
      ++at_;
  }
  bool take(std::string_view token) {
    skip_blanks();
    if (token.empty() || !text_.substr(at_).starts_with(token))
      return false;
    at_ += token.size();
    return true;
  }

  void put(Operation operation, std::size_t taken, std::size_t count = 0, double number = 0) {
    read_.steps_.push_back({operation, count, number});
    held_ = held_ - taken + 1;
    most_ = std::max(most_, held_);
  }

  Done choice() {
    const Nested nested(*this);
    if (nested.is_too_deep())
      return wrong("parentheses are nested too deeply");
    if (auto done = binary(0); !done)
      return done;
    if (!take("?"))
      return {};
    if (auto done = choice(); !done)
      return done;
    if (!take(":"))
      return wrong("\":\" is missing");
    if (auto done = choice(); !done)
      return done;
    put(Operation::choose, 3);
    return {};
  }

  Done binary(std::size_t level) {
    if (level == kLevels.size())
      return signs();
    if (auto done = binary(level + 1); !done)
      return done;
    for (;;) {
      const auto found =
          std::ranges::find_if(kLevels[level], [&](const Binary &one) { return take(one.token); });
      if (found == kLevels[level].end())
        return {};
      if (auto done = binary(level + 1); !done)
        return done;
      put(found->operation, 2);
    }
  }

  /// Signs bind weaker than powers: -2^2 is -4.
  Done signs() {
    const Nested nested(*this);
    if (nested.is_too_deep())
      return wrong("signs are nested too deeply");
    if (take("+"))
      return signs();
    if (!take("-"))
      return power();
    if (auto done = signs(); !done)
      return done;
    put(Operation::negate, 1);
    return {};
  }

  Done power() {
    if (auto done = primary(); !done)
      return done;
    if (!take("^"))
      return {};
    if (auto done = signs(); !done) // 2^-1, and 2^3^2 is 2^9
      return done;
    put(Operation::power, 2);
    return {};
  }

  Done primary() {
    skip_blanks();
    if (at_ == text_.size())
      return wrong("a value is missing");
    if (take("(")) {
      if (auto done = choice(); !done)
        return done;
      if (!take(")"))
        return wrong("\")\" is missing");
      return {};
    }
    const char first = text_[at_];
    if (first == '`')
      return quoted();
    if (is_letter(first))
      return name();
    if (is_digit(first) || first == '.')
      return number();
    return wrong("a value is missing");
  }

  Done number() {
    double value = 0;
    const char *begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error != std::errc())
      return wrong("is no number that a double can hold");
    at_ += static_cast<std::size_t>(end - begin);
    put(Operation::number, 0, 0, value);
    return {};
  }

  Done quoted() {
    const std::size_t begin = at_;
    const std::size_t end = text_.find('`', begin + 1);
    if (end == std::string_view::npos)
      return wrong("a label has no end", "close it with `");
    at_ = end + 1;
    return variable(text_.substr(begin + 1, end - begin - 1), begin);
  }

  Done name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_])))
      ++at_;
    const std::string_view word = text_.substr(begin, at_ - begin);
    if (!take("("))
      return variable(word, begin);
    const auto known = std::ranges::find(kFunctions, word, &Function::name);
    if (known == kFunctions.end())
      return wrong(begin, "there is no function \"" + std::string(word) + '"');
    std::size_t arguments = 0;
    do {
      if (auto done = choice(); !done)
        return done;
      ++arguments;
    } while (take(","));
    if (!take(")"))
      return wrong("\")\" is missing");
    if (arguments < known->least || arguments > known->most)
      return wrong(begin, std::string(word) + " takes " + std::to_string(known->least) +
                              (known->most == kAny ? " or more" : "") + " arguments, not " +
                              std::to_string(arguments));
    put(known->operation, arguments, arguments);
    return {};
  }

  Done variable(std::string_view name, std::size_t position) {
    const auto known = std::ranges::find(read_.variables_, name, &Expression::Variable::name);
    const auto index = static_cast<std::size_t>(known - read_.variables_.begin());
    if (known == read_.variables_.end())
      read_.variables_.push_back({std::string(name), position});
    put(Operation::variable, 0, index);
    return {};
  }

  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  }

  class Nested {
  public:
    explicit Nested(ExpressionReader &reader) : reader_(reader) { ++reader_.nested_; }
    ~Nested() { --reader_.nested_; }
    Nested(const Nested &) = delete;
    Nested &operator=(const Nested &) = delete;
    [[nodiscard]] bool is_too_deep() const { return reader_.nested_ > kMostNested; }

  private:
    ExpressionReader &reader_;
  };

  const std::string_view text_;
  std::size_t at_ = 0;
  std::size_t nested_ = 0;
  std::size_t held_ = 0;
  std::size_t most_ = 0;
  Expression read_;
};

std::expected<Expression, Expression::Mistake> Expression::read(std::string_view text) {
  return ExpressionReader(text).read();
}

double Expression::apply(Operation operation, std::span<const double> arguments) {
  const double a = arguments[0];
  const double b = arguments.size() > 1 ? arguments[1] : 0;
  switch (operation) {
  case Operation::number:
  case Operation::variable:
    return a;
  case Operation::choose:
    return a != 0 ? b : arguments[2];
  case Operation::either:
    return a != 0 || b != 0 ? 1 : 0;
  case Operation::both:
    return a != 0 && b != 0 ? 1 : 0;
  case Operation::less:
    return a < b ? 1 : 0;
  case Operation::less_or_equal:
    return a <= b ? 1 : 0;
  case Operation::greater:
    return a > b ? 1 : 0;
  case Operation::greater_or_equal:
    return a >= b ? 1 : 0;
  case Operation::equal:
    return a == b ? 1 : 0;
  case Operation::not_equal:
    return a != b ? 1 : 0;
  case Operation::add:
    return a + b;
  case Operation::subtract:
    return a - b;
  case Operation::multiply:
    return a * b;
  case Operation::divide:
    return a / b;
  case Operation::remainder:
    return std::fmod(a, b);
  case Operation::negate:
    return -a;
  case Operation::power:
    return std::pow(a, b);
  case Operation::absolute:
    return std::fabs(a);
  case Operation::sign:
    return a > 0 ? 1 : a < 0 ? -1 : 0;
  case Operation::sqrt:
    return std::sqrt(a);
  case Operation::exp:
    return std::exp(a);
  case Operation::ln:
    return std::log(a);
  case Operation::log2:
    return std::log2(a);
  case Operation::log10:
    return std::log10(a);
  case Operation::rint:
    return std::rint(a);
  case Operation::sin:
    return std::sin(a);
  case Operation::cos:
    return std::cos(a);
  case Operation::tan:
    return std::tan(a);
  case Operation::asin:
    return std::asin(a);
  case Operation::acos:
    return std::acos(a);
  case Operation::atan:
    return std::atan(a);
  case Operation::sinh:
    return std::sinh(a);
  case Operation::cosh:
    return std::cosh(a);
  case Operation::tanh:
    return std::tanh(a);
  case Operation::atan2:
    return std::atan2(a, b);
  case Operation::min:
    return *std::ranges::min_element(arguments);
  case Operation::max:
    return *std::ranges::max_element(arguments);
  case Operation::sum:
    return std::accumulate(arguments.begin(), arguments.end(), 0.0);
  case Operation::mean:
    return std::accumulate(arguments.begin(), arguments.end(), 0.0) /
           static_cast<double>(arguments.size());
  }
  std::unreachable();
}

double Expression::evaluate(std::span<const double> values) const {
  std::vector<double> stack;
  stack.reserve(depth_);
  for (const Step &step : steps_) {
    if (step.operation == Operation::number) {
      stack.push_back(step.number);
      continue;
    }
    if (step.operation == Operation::variable) {
      stack.push_back(values[step.count]);
      continue;
    }
    const std::size_t taken = step.count > 0                        ? step.count
                              : step.operation == Operation::negate ? 1
                              : step.operation == Operation::choose ? 3
                                                                    : 2;
    const double result = apply(step.operation, std::span(stack).last(taken));
    stack.resize(stack.size() - taken);
    stack.push_back(result);
  }
  return stack.back();
}

} // namespace sartor::detail
