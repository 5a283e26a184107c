// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_PLUGIN_SOURCE_NAMES_H
#define SARTOR_COMPILER_PLUGIN_SOURCE_NAMES_H

#include <string>

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>

namespace sartor::compiler {

/// As the source has it: `file`, `net::Route`.
std::string source_name(const clang::RecordDecl &record, const clang::ASTContext &ast);
/// As it is written where something is declared.
std::string source_name(clang::QualType type, const clang::ASTContext &ast);
/// Whether a text names a type, by a typedef or by what that stands for.
bool is_named(clang::QualType type, const std::string &text, const clang::ASTContext &ast);
/// A field of a record, or of a record without a name in it; or null.
clang::FieldDecl *field_named(const clang::RecordDecl &record, const std::string &name);

} // namespace sartor::compiler

#endif
