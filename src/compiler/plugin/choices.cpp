// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "choices.h"

#include <clang/AST/Decl.h>

namespace sartor::compiler {

using namespace clang;

namespace {

/// Parses a number as the bits of an integer type of the given width; nothing if it does not fit.
std::optional<std::uint64_t> bits_of_number(StringRef digits, unsigned width, bool is_signed) {
  const bool is_negative = digits.consume_front("-");
  digits.consume_front("+");
  llvm::APInt number;
  if (digits.getAsInteger(10, number) || number.getActiveBits() > 64)
    return std::nullopt;
  number = number.zextOrTrunc(66);
  if (is_negative)
    number.negate();
  const bool fits =
      is_signed ? number.isSignedIntN(width) : !number.isNegative() && number.isIntN(width);
  return fits ? std::optional(number.trunc(64).getZExtValue()) : std::nullopt;
}

std::optional<std::uint64_t> bits_of_name(const std::string &name, QualType type) {
  if (const auto *enumeration = type->getAsEnumDecl())
    for (const EnumConstantDecl *known : enumeration->enumerators())
      if (known->getName() == name)
        return known->getInitVal().extOrTrunc(64).getZExtValue();
  return std::nullopt;
}

} // namespace

std::optional<std::uint64_t> bits_of(const base::TomlValue &choice, QualType type,
                                     const ASTContext &ast) {
  if (choice.kind == base::TomlValue::Kind::string)
    return bits_of_name(choice.text, type);
  const std::string number = choice.text == "true"    ? "1"
                             : choice.text == "false" ? "0"
                                                      : choice.text;
  return bits_of_number(number, ast.getIntWidth(type), type->isSignedIntegerOrEnumerationType());
}

} // namespace sartor::compiler
