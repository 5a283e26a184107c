// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_PLUGIN_WRITE_GUARDS_WATCHED_FIELDS_H
#define SARTOR_COMPILER_PLUGIN_WRITE_GUARDS_WATCHED_FIELDS_H

#include <vector>

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>
#include <llvm/ADT/DenseMap.h>

#include "compiler/plugin/write_guards/watch_table.h"

namespace sartor::compiler {

/// Adds parts, shifted by `offset`, that are not there yet.
void add_parts(const std::vector<WatchedPart> &more, std::uint64_t offset, bool are_beside,
               std::vector<WatchedPart> &parts);

/// The watched fields and variables of the source, and their positions.
class WatchedFields {
public:
  using Parts = std::vector<WatchedPart>;

  WatchedFields(clang::ASTContext &ast, WatchTable &table) : ast_(ast), table_(table) {}

  static bool is_watched(const clang::Decl &declaration);

  /// Records a watched variable.
  void watch(clang::VarDecl &variable);
  /// Returns the watched parts of the variable that an expression names.
  Parts named_by(const clang::Expr &expression);

  /// Returns the watched fields and variables of that type, and the watched parts inside such an
  /// object.
  Parts of_type(clang::QualType type);
  /// Returns the parts that a store to a constant address may change; nothing if the address is not
  /// in a field of a variable.
  Parts named_at(const clang::APValue &address);
  /// Returns the type at a constant address in a variable; null if it is not known.
  clang::QualType type_at(const clang::APValue &address);
  /// Returns the variable that contains a constant address; null if none does.
  static const clang::VarDecl *variable_at(const clang::APValue &address);
  /// Returns the watched parts of a variable, including itself; nothing if it is constant.
  Parts of_variable(const clang::VarDecl &variable);

  /// Returns the watched fields inside an object of that type; for an array, those of its first
  /// element, as repeated ones.
  Parts within(clang::QualType type);
  const Parts &within(const clang::RecordDecl &record);
  /// Returns the watched fields that a store to `field` may change, with offsets in the field's
  /// record: the field itself, fields inside it, other members of a union, adjacent bit-fields.
  Parts changed_through(const clang::FieldDecl &field);
  /// Returns the offset in the field's record, in bytes; for a bit-field, that of the first byte
  /// that contains its bits.
  [[nodiscard]] std::uint64_t offset_of(const clang::FieldDecl &field) const;

  /// Describes a field by names of the source, relative to the innermost record with a name.
  [[nodiscard]] WatchedField described(const clang::FieldDecl &field) const;

private:
  void add_type(clang::QualType type, unsigned field);
  [[nodiscard]] Parts named(const clang::VarDecl *variable) const;
  /// Returns the type at a constant address, and adds the watched parts on the path to it.
  clang::QualType step_to(const clang::APValue &address, Parts &parts);
  void add_bases(const clang::RecordDecl &record, Parts &parts);
  void add_bit_fields_beside(const clang::FieldDecl &field, Parts &parts);
  WatchedPart part_of(const clang::FieldDecl &field);

  clang::ASTContext &ast_;
  WatchTable &table_;
  llvm::DenseMap<const clang::RecordDecl *, Parts> known_;
  llvm::DenseMap<const void *, Parts> types_;                  ///< By canonical type.
  llvm::DenseMap<const clang::VarDecl *, unsigned> variables_; ///< By canonical declaration.
};

} // namespace sartor::compiler

#endif
