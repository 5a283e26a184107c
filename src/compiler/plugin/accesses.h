// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_PLUGIN_ACCESSES_H
#define SARTOR_COMPILER_PLUGIN_ACCESSES_H

#include <string>
#include <vector>

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SetVector.h>

namespace sartor::compiler {

/// What the functions of a file read and write of global variables and of fields, as far as the
/// source shows it: by name. An address that is taken counts as written.
class Accesses {
public:
  struct Write {
    const clang::FunctionDecl *function;
    clang::SourceLocation place;
  };
  struct Function {
    llvm::SetVector<const clang::ValueDecl *> reads;
    llvm::SetVector<const clang::FunctionDecl *> calls; ///< Definitions.
  };

  explicit Accesses(clang::ASTContext &ast);

  /// The function and what it calls in this file, in that order.
  [[nodiscard]] std::vector<const clang::FunctionDecl *>
  reached_from(const clang::FunctionDecl &function) const;
  [[nodiscard]] const Function *of(const clang::FunctionDecl &function) const;
  [[nodiscard]] llvm::ArrayRef<Write> writes_to(const clang::ValueDecl &memory) const;
  [[nodiscard]] std::vector<const clang::FunctionDecl *> functions() const;

private:
  friend class AccessVisitor;
  llvm::MapVector<const clang::FunctionDecl *, Function> functions_;
  llvm::MapVector<const clang::ValueDecl *, std::vector<Write>> writes_;
};

} // namespace sartor::compiler

#endif
