// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_PLUGIN_WATCHED_FIELDS_H
#define SARTOR_COMPILER_PLUGIN_WATCHED_FIELDS_H

#include <vector>

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>
#include <llvm/ADT/DenseMap.h>

#include "watch_table.h"

namespace sartor::compiler {

/// Adds parts, moved by `offset`, that are not there yet.
void add_parts(const std::vector<WatchedPart> &more, std::uint64_t offset, bool are_beside,
               std::vector<WatchedPart> &parts);

/// Which fields and variables of the source are watched, and where they lie.
class WatchedFields {
public:
  using Parts = std::vector<WatchedPart>;

  WatchedFields(clang::ASTContext &ast, WatchTable &table) : ast_(ast), table_(table) {}

  static bool is_watched(const clang::Decl &declaration);

  /// This variable is watched from now on.
  void watch(clang::VarDecl &variable);
  /// What is watched of the variable that an expression names.
  Parts named_by(const clang::Expr &expression);

  /// Watched fields and variables of that type, and what is watched in one.
  Parts of_type(clang::QualType type);
  /// What a store to a constant address may change; nothing if it is no field's of a variable.
  Parts named_at(const clang::APValue &address);
  /// What is at a constant address in a variable; null where that is not known.
  clang::QualType type_at(const clang::APValue &address);
  /// The variable that a constant address is in; null if it is in none.
  static const clang::VarDecl *variable_at(const clang::APValue &address);
  /// What is watched of a variable, and in it; nothing if it is constant.
  Parts of_variable(const clang::VarDecl &variable);

  /// The watched fields that lie in an object, or in an array's element, of that type.
  const Parts &within(clang::QualType type);
  const Parts &within(const clang::RecordDecl &record);
  /// Those that a store to `field` may change, as offsets in the field's record: itself, what lies
  /// in it, other members of a union, bit-fields beside it.
  Parts changed_through(const clang::FieldDecl &field);
  /// In the field's record, in bytes; of a bit-field: of the first byte that it has bits in.
  [[nodiscard]] std::uint64_t offset_of(const clang::FieldDecl &field) const;

  /// By the names of the source, seen from the record that has one.
  [[nodiscard]] WatchedField described(const clang::FieldDecl &field) const;

private:
  void add_type(clang::QualType type, unsigned field);
  [[nodiscard]] Parts named(const clang::VarDecl *variable) const;
  /// The type at a constant address; adds what is watched on the way there.
  clang::QualType step_to(const clang::APValue &address, Parts &parts);
  void add_bases(const clang::RecordDecl &record, Parts &parts);
  void add_bit_fields_beside(const clang::FieldDecl &field, Parts &parts);
  WatchedPart part_of(const clang::FieldDecl &field);

  clang::ASTContext &ast_;
  WatchTable &table_;
  llvm::DenseMap<const clang::RecordDecl *, Parts> known_;
  llvm::DenseMap<const void *, Parts> types_;                  ///< By the canonical type.
  llvm::DenseMap<const clang::VarDecl *, unsigned> variables_; ///< By the first declaration.
};

} // namespace sartor::compiler

#endif
