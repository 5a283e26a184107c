// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_PLUGIN_MARK_BOOK_H
#define SARTOR_COMPILER_PLUGIN_MARK_BOOK_H

#include <optional>
#include <string>
#include <vector>

#include <clang/AST/Expr.h>

#include "watched_fields.h"

namespace sartor::compiler {

/// Takes down, for LLVM's half, what is marked in the source and what cannot be.
class MarkBook {
public:
  MarkBook(clang::ASTContext &ast, WatchTable &table)
      : ast_(ast), table_(table), fields_(ast, table) {}

  WatchedFields &fields() { return fields_; }

  /// The number of a new mark, at an address of an `object`.
  unsigned number_of(clang::SourceLocation place, WatchedFields::Parts parts, bool is_exact,
                     clang::QualType object);
  /// The number of marks of places that need no guard: what is only read there, or goes on by its
  /// own type.
  unsigned number_without_guard();
  /// A place that cannot be guarded.
  void note(clang::SourceLocation place, const WatchedFields::Parts &parts,
            const std::string &reason);
  /// The addresses of watched fields in the constant initialiser of static data.
  void note_addresses(const clang::VarDecl &variable);
  /// A reference or a pointer whose uses are marked: its own memory may hold what it should not.
  void judge_constant(const clang::VarDecl &variable);
  /// A variable of static data, before LLVM's half sees it.
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

/// Whether what stands in a statement is never computed when the program runs.
bool is_not_evaluated(const clang::Stmt &statement);

} // namespace sartor::compiler

#endif
