// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_PLUGIN_WRITE_GUARDS_CONSTANTS_H
#define SARTOR_COMPILER_PLUGIN_WRITE_GUARDS_CONSTANTS_H

#include <optional>

#include <clang/AST/APValue.h>
#include <clang/AST/ASTContext.h>
#include <clang/AST/Expr.h>

namespace sartor::compiler {

/// Returns the constant value of a pointer, or the constant address of an lvalue, that clang may
/// substitute for the expression: of a reference, a constant pointer, or a template argument.
std::optional<clang::APValue> constant_address(const clang::Expr &expression,
                                               const clang::ASTContext &ast);
/// Returns the field that a constant pointer to member selects; null if it is not constant.
const clang::FieldDecl *chosen_field(const clang::BinaryOperator &choice,
                                     const clang::ASTContext &ast);

} // namespace sartor::compiler

#endif
