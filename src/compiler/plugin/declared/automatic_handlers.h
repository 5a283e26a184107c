// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_PLUGIN_DECLARED_AUTOMATIC_HANDLERS_H
#define SARTOR_COMPILER_PLUGIN_DECLARED_AUTOMATIC_HANDLERS_H

#include <string>
#include <vector>

#include <clang/AST/Decl.h>
#include <clang/Frontend/CompilerInstance.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/StringSet.h>

#include "compiler/plugin/declared/automatic_table.h"

namespace sartor::compiler {

/// Makes hot functions handlers with direct calls (-fplugin-arg-sartor-auto=FUNCTION), with a point
/// for each parameter whose value may be quasi-constant. A function that cannot be such a handler
/// is left as it is, with a remark: it is never an error.
class AutomaticHandlers {
public:
  /// Returns those of the file that is being compiled.
  static AutomaticHandlers &of_this_file();

  /// Starts a new file to compile. `functions` are linker names or qualified names.
  void begin(clang::CompilerInstance &compiler, const std::vector<std::string> &functions);

  /// Must precede other parts that process annotations; each function is converted once.
  void look_at(clang::FunctionDecl &function);

private:
  void convert(clang::FunctionDecl &function, const std::string &symbol);
  void add_point(clang::ParmVarDecl &parameter, AutomaticTable::Handler &handler);
  [[nodiscard]] std::string why_not(const clang::FunctionDecl &function) const;
  [[nodiscard]] std::string file_suffix() const;
  [[nodiscard]] SourcePlace place_of(clang::SourceLocation location) const;
  void annotate(clang::Decl &declaration, const std::string &text) const;

  clang::CompilerInstance *compiler_ = nullptr;
  llvm::StringSet<> functions_;
  llvm::DenseSet<const clang::FunctionDecl *> seen_;
};

} // namespace sartor::compiler

#endif
