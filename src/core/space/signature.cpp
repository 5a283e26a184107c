// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/space/signature.h"

#include <charconv>

namespace sartor::core {

namespace {

using Class = PointType::Class;

// Each class of scalars as a letter; signed integers have one of their own.
char letter_of(const Parameter &parameter) {
  if (parameter.kind == Parameter::Kind::nothing)
    return 'v';
  if (parameter.kind == Parameter::Kind::object)
    return 'o';
  if (parameter.kind == Parameter::Kind::unknown)
    return 'x';
  switch (parameter.type.kind) {
  case Class::integer:
    return parameter.type.is_signed ? 's' : 'u';
  case Class::boolean:
    return 'b';
  case Class::floating:
    return 'f';
  case Class::pointer:
    return 'p';
  }
  return 'o';
}

bool set_kind(Parameter &parameter, char letter) {
  parameter.kind = Parameter::Kind::scalar;
  switch (letter) {
  case 'v':
    parameter.kind = Parameter::Kind::nothing;
    return true;
  case 'o':
    parameter.kind = Parameter::Kind::object;
    return true;
  case 'x':
    parameter.kind = Parameter::Kind::unknown;
    return true;
  case 's':
  case 'u':
    parameter.type = {Class::integer, 0, letter == 's'};
    return true;
  case 'b':
    parameter.type = {Class::boolean, 0, false};
    return true;
  case 'f':
    parameter.type = {Class::floating, 0, false};
    return true;
  case 'p':
    parameter.type = {Class::pointer, 0, false};
    return true;
  default:
    return false;
  }
}

constexpr std::string_view kPassings = "dca"; // direct, copy, address

void add(std::string &text, const Parameter &parameter) {
  text += ';';
  text += letter_of(parameter);
  text += std::to_string(parameter.type.bits) + ',' + std::to_string(parameter.bytes) + ',';
  text += kPassings[static_cast<std::size_t>(parameter.passing)];
  text += parameter.depends_on_others ? '!' : '=';
  for (const Piece &piece : parameter.pieces)
    text += std::to_string(piece.argument) + '@' + std::to_string(piece.offset) + ':' +
            std::to_string(piece.bytes) + ' ';
}

/// Reads the output of add().
class Reader {
public:
  explicit Reader(std::string_view text) : text_(text) {}

  [[nodiscard]] bool at_end() const { return text_.empty(); }
  [[nodiscard]] bool at_digit() const {
    return !text_.empty() && text_[0] >= '0' && text_[0] <= '9';
  }
  bool take(char expected) {
    if (text_.empty() || text_[0] != expected)
      return false;
    text_.remove_prefix(1);
    return true;
  }
  char letter() {
    const char first = text_.empty() ? '\0' : text_[0];
    text_.remove_prefix(text_.empty() ? 0 : 1);
    return first;
  }
  bool number(unsigned &into) {
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), into);
    if (error != std::errc())
      return false;
    text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
    return true;
  }

  bool parameter(Parameter &into) {
    if (!take(';') || !set_kind(into, letter()) || !number(into.type.bits) || !take(',') ||
        !number(into.bytes) || !take(','))
      return false;
    const auto passing = kPassings.find(letter());
    if (passing == std::string_view::npos)
      return false;
    into.passing = static_cast<Parameter::Passing>(passing);
    into.depends_on_others = take('!');
    if (!into.depends_on_others && !take('='))
      return false;
    while (at_digit()) {
      Piece piece;
      if (!number(piece.argument) || !take('@') || !number(piece.offset) || !take(':') ||
          !number(piece.bytes) || !take(' '))
        return false;
      into.pieces.push_back(piece);
    }
    return true;
  }

private:
  std::string_view text_;
};

std::string text_of(const detail::TypeForm &form) {
  const std::string bits = std::to_string(form.bytes * 8);
  switch (form.kind) {
  case detail::TypeForm::Kind::nothing:
    return "nothing";
  case detail::TypeForm::Kind::integer:
    return "an integer of " + bits + " bits";
  case detail::TypeForm::Kind::floating:
    return "f" + bits;
  case detail::TypeForm::Kind::pointer:
    return "a pointer or reference";
  case detail::TypeForm::Kind::object:
    return "an object of " + std::to_string(form.bytes) + " bytes";
  case detail::TypeForm::Kind::other: // an integer, a vector, or a floating-point number
    break;
  }
  return "a value of " + std::to_string(form.bytes) + " bytes";
}

bool same_kind(const Parameter &parameter, const detail::TypeForm &form) {
  switch (form.kind) {
  case detail::TypeForm::Kind::nothing:
    return parameter.kind == Parameter::Kind::nothing;
  case detail::TypeForm::Kind::object:
    return parameter.kind == Parameter::Kind::object;
  case detail::TypeForm::Kind::other: // types that only some compilers know
    return parameter.kind != Parameter::Kind::nothing;
  case detail::TypeForm::Kind::integer:
    return parameter.kind == Parameter::Kind::scalar &&
           (parameter.type.kind == Class::integer || parameter.type.kind == Class::boolean);
  case detail::TypeForm::Kind::floating:
    return parameter.kind == Parameter::Kind::scalar && parameter.type.kind == Class::floating;
  case detail::TypeForm::Kind::pointer:
    return parameter.kind == Parameter::Kind::scalar && parameter.type.kind == Class::pointer;
  }
  return false;
}

} // namespace

std::string Parameter::text() const {
  if (kind == Kind::nothing)
    return "nothing";
  if (kind == Kind::scalar)
    return type.text();
  return "an object of " + std::to_string(bytes) + " bytes";
}

std::string to_text(const Signature &signature) {
  std::string text = std::to_string(signature.arguments);
  add(text, signature.result);
  for (const Parameter &parameter : signature.parameters)
    add(text, parameter);
  return text;
}

std::optional<Signature> to_signature(std::string_view text) {
  Reader reader(text);
  Signature signature;
  if (!reader.number(signature.arguments) || !reader.parameter(signature.result))
    return std::nullopt;
  while (!reader.at_end())
    if (!reader.parameter(signature.parameters.emplace_back()))
      return std::nullopt;
  for (const Parameter &parameter : signature.parameters)
    for (const Piece &piece : parameter.pieces)
      if (piece.argument >= signature.arguments)
        return std::nullopt;
  return signature;
}

std::string difference(const Signature &signature, std::span<const detail::TypeForm> forms) {
  const auto compare = [](const std::string &what, const Parameter &parameter,
                          const detail::TypeForm &form) {
    if (parameter.kind == Parameter::Kind::unknown ||
        (same_kind(parameter, form) && parameter.bytes == form.bytes))
      return std::string();
    return what + " is " + parameter.text() + ", not " + text_of(form);
  };
  if (forms.size() - 1 != signature.parameters.size())
    return "has " + std::to_string(signature.parameters.size()) + " parameters, not " +
           std::to_string(forms.size() - 1);
  for (std::size_t i = 0; i < signature.parameters.size(); ++i)
    if (auto text =
            compare("parameter " + std::to_string(i), signature.parameters[i], forms[i + 1]);
        !text.empty())
      return text;
  return compare("its result", signature.result, forms[0]);
}

} // namespace sartor::core
