// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_PLUGIN_CONSTANTS_H
#define SARTOR_COMPILER_PLUGIN_CONSTANTS_H

#include <optional>

#include <clang/AST/APValue.h>
#include <clang/AST/ASTContext.h>
#include <clang/AST/Expr.h>

namespace sartor::compiler {

/// A constant pointer, or the constant address of what an lvalue names, which clang may put in the
/// expression's place: of a reference, a constant pointer, or a template's argument.
std::optional<clang::APValue> constant_address(const clang::Expr &expression,
                                               const clang::ASTContext &ast);
/// The field that a constant pointer to a member chooses; null if it is none.
const clang::FieldDecl *chosen_field(const clang::BinaryOperator &choice,
                                     const clang::ASTContext &ast);

} // namespace sartor::compiler

#endif
