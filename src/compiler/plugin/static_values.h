// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_PLUGIN_STATIC_VALUES_H
#define SARTOR_COMPILER_PLUGIN_STATIC_VALUES_H

#include <optional>

#include <clang/AST/APValue.h>
#include <clang/AST/ASTContext.h>

#include "watched_fields.h"

namespace sartor::compiler {

/// Finds addresses in the values of static data through which watched fields may be changed,
/// according to types: the address of a field without const, or of an object as another type.
class StaticValues {
public:
  StaticValues(const clang::ASTContext &ast, WatchedFields &fields) : ast_(ast), fields_(fields) {}

  /// Returns the parts that code may change through the addresses in a value; nothing if the target
  /// of an address is not known.
  std::optional<WatchedFields::Parts> held_by(const clang::APValue &value, clang::QualType type);

private:
  void look_at(const clang::APValue &value, clang::QualType type);
  void look_at_record(const clang::APValue &value, clang::QualType type);
  void look_at_address(const clang::APValue &address, clang::QualType type);
  void add(const WatchedFields::Parts &parts) { add_parts(parts, 0, /*are_beside=*/false, held_); }

  const clang::ASTContext &ast_;
  WatchedFields &fields_;
  WatchedFields::Parts held_;
  bool is_known_ = true;
};

} // namespace sartor::compiler

#endif
