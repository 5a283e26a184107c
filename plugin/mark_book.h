// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_PLUGIN_MARK_BOOK_H
#define SARTOR_PLUGIN_MARK_BOOK_H

#include <string>

#include <clang/AST/Expr.h>

#include "watched_fields.h"

namespace sartor::plugin {

/// Takes down, for LLVM's half, what is marked in the source and what cannot be.
class MarkBook {
public:
  MarkBook(clang::ASTContext &ast, WatchTable &table)
      : ast_(ast), table_(table), fields_(ast, table) {}

  WatchedFields &fields() { return fields_; }

  /// The number of a new mark, at an address of an `object`.
  unsigned number_of(clang::SourceLocation place, WatchedFields::Parts parts, bool is_exact,
                     clang::QualType object);
  /// A place that cannot be guarded.
  void note(clang::SourceLocation place, const WatchedFields::Parts &parts,
            const std::string &reason);
  /// The addresses of watched fields in a constant initialiser.
  void note_addresses(const clang::Stmt *constant);

private:
  [[nodiscard]] SourcePlace place_of(clang::SourceLocation location) const;

  clang::ASTContext &ast_;
  WatchTable &table_;
  WatchedFields fields_;
};

/// Whether what stands in a statement is never computed when the program runs.
bool is_not_evaluated(const clang::Stmt &statement);

} // namespace sartor::plugin

#endif
