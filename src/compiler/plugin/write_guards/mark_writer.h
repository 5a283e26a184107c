// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_PLUGIN_WRITE_GUARDS_MARK_WRITER_H
#define SARTOR_COMPILER_PLUGIN_WRITE_GUARDS_MARK_WRITER_H

#include <clang/AST/ASTContext.h>
#include <clang/AST/Expr.h>

namespace sartor::compiler {

/// Inserts marks (watch_table.h) into the AST.
class MarkWriter {
public:
  explicit MarkWriter(clang::ASTContext &ast) : ast_(ast) {}

  /// Creates `(T)sartor.mark((void *)pointer, number)`. `may_be_constant`: constant expressions may
  /// contain it and must not see the mark.
  clang::Expr *mark_pointer(clang::Expr &pointer, unsigned number, bool may_be_constant);
  /// Creates the object that a marked pointer to `object` points to.
  clang::Expr *mark_object(clang::Expr &object, unsigned number, bool may_be_constant);

private:
  clang::Expr *cast(clang::Expr &pointer, clang::QualType type);
  clang::Expr *call(clang::FunctionDecl &function, llvm::ArrayRef<clang::Expr *> arguments,
                    clang::CastKind decay, clang::SourceLocation place);
  clang::FunctionDecl &declare(llvm::StringRef name, clang::QualType result,
                               llvm::ArrayRef<clang::QualType> parameters);
  clang::FunctionDecl &mark();
  clang::FunctionDecl &is_constant_evaluated();

  clang::ASTContext &ast_;
  clang::FunctionDecl *mark_ = nullptr;
  clang::FunctionDecl *is_constant_evaluated_ = nullptr;
};

} // namespace sartor::compiler

#endif
