// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_PLUGIN_DECLARED_DECLARER_H
#define SARTOR_COMPILER_PLUGIN_DECLARED_DECLARER_H

#include <string>
#include <vector>

#include <clang/AST/Decl.h>
#include <clang/Frontend/CompilerInstance.h>
#include <llvm/ADT/DenseSet.h>

#include "compiler/plugin/declared/declared_table.h"

namespace sartor::compiler {

/// Converts declaration files to the annotations that the source could have contained, before other
/// parts process annotations. Each part of the front-end half passes declarations to this class
/// before processing them; each is converted once.
class Declarer {
public:
  /// Returns the declarer of the file that is being compiled.
  static Declarer &of_this_file();

  /// Starts a new file to compile: reads the declaration files and reports their errors.
  void begin(clang::CompilerInstance &compiler, const std::vector<std::string> &files);

  void look_at(clang::FunctionDecl &function);
  void look_at(clang::RecordDecl &record);
  void look_at(clang::VarDecl &variable);

  /// True if a variable has been declared quasi-invariant.
  [[nodiscard]] bool is_watched(const clang::VarDecl &variable) const;

private:
  void declare(clang::FunctionDecl &function, const DeclaredFunction &declared);
  void declare(clang::ParmVarDecl &parameter, const DeclaredParameter &declared,
               const std::string &handler);
  bool add_choices(const clang::ParmVarDecl &parameter, const DeclaredParameter &declared,
                   DeclaredTable::Point &point);
  void declare(clang::FieldDecl &field, const DeclaredMemory &declared);
  void define(clang::VarDecl &variable, const DeclaredMemory &declared);
  bool has_type(clang::QualType type, const DeclaredUse &declared);
  void annotate(clang::Decl &declaration, llvm::StringRef text);
  void refuse(const SourcePlace &place, const std::string &text);
  [[nodiscard]] clang::SourceLocation location_of(const SourcePlace &place) const;
  void found(const SourcePlace &place);

  clang::CompilerInstance *compiler_ = nullptr;
  Declarations declarations_;
  llvm::DenseSet<const void *> seen_;
  llvm::DenseSet<const clang::VarDecl *> watched_; ///< Canonical declarations.
};

} // namespace sartor::compiler

#endif
