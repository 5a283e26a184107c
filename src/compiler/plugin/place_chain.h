// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_PLUGIN_PLACE_CHAIN_H
#define SARTOR_COMPILER_PLUGIN_PLACE_CHAIN_H

#include <clang/AST/ExprCXX.h>
#include <llvm/ADT/SmallVector.h>

#include "watched_fields.h"

namespace sartor::compiler {

/// An lvalue taken apart, from the whole down to what it is a part of: `p->inner.list[i].field` is
/// a part of `*p`. The root is where it can be marked without changing what is known of its
/// alignment and type.
class PlaceChain {
public:
  /// `parent`: what `place` is a child of.
  PlaceChain(clang::Expr &place, clang::Stmt *parent);

  /// The pointer that the root is reached by, or null where the root is an object's own name or
  /// result.
  [[nodiscard]] clang::Expr *pointer() const { return pointer_; }
  [[nodiscard]] clang::Expr *root() const { return root_; }
  /// What the pointer, or without one the root, is a child of.
  [[nodiscard]] clang::Stmt *parent() const { return parent_; }
  /// Expressions in it that are no places: indexes.
  [[nodiscard]] llvm::ArrayRef<std::pair<clang::Expr *, clang::Stmt *>> others() const {
    return others_;
  }
  /// A structured binding that the chain leads to, or null.
  [[nodiscard]] clang::BindingDecl *binding() const { return binding_; }

  /// The watched fields that a store to the place may change, as offsets from the root.
  /// `whole`: the place is written as an object. `beside`: what lies beside it may be meant, too.
  WatchedFields::Parts parts(WatchedFields &fields, bool whole, bool beside) const;
  /// Whether the offsets are right: no index and no base class lies between.
  [[nodiscard]] bool is_exact() const { return is_exact_; }

private:
  bool step(clang::Expr *&place);
  void end_at_pointer(clang::Expr &pointer, clang::Stmt &parent);

  clang::QualType type_;
  llvm::SmallVector<const clang::FieldDecl *> fields_; ///< From the place down to the root.
  llvm::SmallVector<std::pair<clang::Expr *, clang::Stmt *>> others_;
  clang::Expr *pointer_ = nullptr;
  clang::Expr *root_ = nullptr;
  clang::Stmt *parent_ = nullptr;
  clang::BindingDecl *binding_ = nullptr;
  bool is_exact_ = true;
};

/// Whether an expression is a place that PlaceChain takes apart.
bool is_place(const clang::Expr &expression);
/// The place whose address a pointer is; null where that is not to be seen.
clang::Expr *address_of_place(clang::Expr &pointer);

} // namespace sartor::compiler

#endif
