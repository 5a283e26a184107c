// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_PLUGIN_WRITE_GUARDS_MARK_BOOK_H
#define SARTOR_COMPILER_PLUGIN_WRITE_GUARDS_MARK_BOOK_H

#include <optional>
#include <string>
#include <vector>

#include <clang/AST/Expr.h>

#include "compiler/plugin/write_guards/watched_fields.h"

namespace sartor::compiler {

/// Records, for the LLVM half, the marks in the source and the places that cannot be marked.
class MarkBook {
public:
  MarkBook(clang::ASTContext &ast, WatchTable &table)
      : ast_(ast), table_(table), fields_(ast, table) {}

  WatchedFields &fields() { return fields_; }

  /// Returns the number of a new mark at an address of an `object`.
  unsigned number_of(clang::SourceLocation place, WatchedFields::Parts parts, bool is_exact,
                     clang::QualType object);
  /// Returns the number for marks of places that need no guard: the object is only read there, or
  /// is used further by its own type.
  unsigned number_without_guard();
  /// Records a place that cannot be guarded.
  void note(clang::SourceLocation place, const WatchedFields::Parts &parts,
            const std::string &reason);
  /// Records the addresses of watched fields in the constant initializer of static data.
  void note_addresses(const clang::VarDecl &variable);
  /// Records a reference or pointer, whose uses are marked, as judged if code cannot change watched
  /// fields through the address in its own memory.
  void judge_constant(const clang::VarDecl &variable);
  /// Records a variable of static data, before the LLVM half sees it.
  void declare(const clang::VarDecl &variable) { variables_.push_back(&variable); }
  /// Passes the variables to the LLVM half, once their types are known.
  void finish();

private:
  void note_addresses(const clang::Stmt *constant);
  std::optional<WatchedFields::Parts> held_by(const clang::VarDecl &variable);
  [[nodiscard]] std::string symbol_of(const clang::VarDecl &variable) const;
  [[nodiscard]] SourcePlace place_of(clang::SourceLocation location) const;

  clang::ASTContext &ast_;
  WatchTable &table_;
  WatchedFields fields_;
  std::vector<const clang::VarDecl *> variables_;
  std::optional<unsigned> without_guard_;
};

/// True if the contents of a statement are never evaluated at run time.
bool is_not_evaluated(const clang::Stmt &statement);

} // namespace sartor::compiler

#endif
