// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Differences between the supported versions of clang's interface.
#ifndef SARTOR_COMPILER_PLUGIN_CLANG_VERSION_H
#define SARTOR_COMPILER_PLUGIN_CLANG_VERSION_H

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>

namespace sartor::compiler {

/// The type that a record declares: by a function of another name before clang 22.
clang::QualType type_of(const clang::RecordDecl &record, const auto &ast) {
  if constexpr (requires { ast.getCanonicalTagType(&record); })
    return ast.getCanonicalTagType(&record);
  else
    return ast.getTypeDeclType(&record);
}

/// The width of a bit-field, which clang 19 finds with the context only.
unsigned width_of_bit_field(const auto &field, const clang::ASTContext &ast) {
  if constexpr (requires { field.getBitWidthValue(); })
    return field.getBitWidthValue();
  else
    return field.getBitWidthValue(ast);
}

/// True for a bit-field without bits, which ends a run of others.
inline bool ends_bit_fields(const clang::FieldDecl &field, const clang::ASTContext &ast) {
  return field.isBitField() && !field.getDeclName() && width_of_bit_field(field, ast) == 0;
}

} // namespace sartor::compiler

#endif
