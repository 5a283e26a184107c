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

/// The global variables and fields that the functions of a file read and write, by name, as far as
/// the source shows. A variable whose address is taken counts as written.
class Accesses {
public:
  struct Write {
    const clang::FunctionDecl *function;
    clang::SourceLocation place;
  };
  struct Function {
    llvm::SetVector<const clang::ValueDecl *> reads;
    llvm::SetVector<const clang::FunctionDecl *> calls; ///< Definitions only.
  };

  explicit Accesses(clang::ASTContext &ast);

  /// Returns the function, followed by the functions that it calls in this file.
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
