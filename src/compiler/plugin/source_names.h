// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_PLUGIN_SOURCE_NAMES_H
#define SARTOR_COMPILER_PLUGIN_SOURCE_NAMES_H

#include <string>

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>

namespace sartor::compiler {

/// Returns a record's name as in the source: `file`, `net::Route`.
std::string source_name(const clang::RecordDecl &record, const clang::ASTContext &ast);
/// Returns a type's name as in a declaration.
std::string source_name(clang::QualType type, const clang::ASTContext &ast);
/// True if a text names a type, by a typedef or by the underlying type.
bool is_named(clang::QualType type, const std::string &text, const clang::ASTContext &ast);
/// Returns the enumeration that a type is; or null.
const clang::EnumDecl *enumeration_of(clang::QualType type);
/// Returns a field of a record, or of an anonymous record in it; or null.
clang::FieldDecl *field_named(const clang::RecordDecl &record, const std::string &name);

} // namespace sartor::compiler

#endif
