// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_PLUGIN_WRITE_GUARDS_PLACE_CHAIN_H
#define SARTOR_COMPILER_PLUGIN_WRITE_GUARDS_PLACE_CHAIN_H

#include <optional>

#include <clang/AST/APValue.h>
#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>
#include <llvm/ADT/SmallVector.h>

#include "compiler/plugin/write_guards/watched_fields.h"

namespace sartor::compiler {

/// An lvalue decomposed from the root to the accessed part: `p->inner.list[i].field` is a part of
/// `*p`. The root is the outermost object that can be marked without changing its known alignment
/// and type.
class PlaceChain {
public:
  /// `parent` is the parent node of `place`.
  PlaceChain(clang::Expr &place, clang::Stmt *parent);

  /// Returns the pointer to the root, or null if the root is an object's own name or result.
  [[nodiscard]] clang::Expr *pointer() const { return pointer_; }
  [[nodiscard]] clang::Expr *root() const { return root_; }
  /// Returns the parent node of the pointer, or of the root if there is no pointer.
  [[nodiscard]] clang::Stmt *parent() const { return parent_; }
  /// Returns contained expressions that are no lvalue steps: indexes.
  [[nodiscard]] llvm::ArrayRef<std::pair<clang::Expr *, clang::Stmt *>> others() const {
    return others_;
  }
  /// Returns a structured binding that the chain ends at, or null.
  [[nodiscard]] clang::BindingDecl *binding() const { return binding_; }

  /// Returns the watched fields that a store to the place may change, with offsets from the root.
  /// `whole`: the place is written as an object. `beside`: the store may also change adjacent
  /// memory.
  WatchedFields::Parts parts(WatchedFields &fields, bool whole, bool beside) const;
  /// True if the offsets are exact: the chain has no index and no base class.
  [[nodiscard]] bool is_exact() const { return is_exact_; }

private:
  bool step(clang::Expr *&place);
  void end_at_pointer(clang::Expr &pointer, clang::Stmt &parent);

  clang::QualType type_;
  llvm::SmallVector<const clang::FieldDecl *> fields_; ///< From the place to the root.
  llvm::SmallVector<std::pair<clang::Expr *, clang::Stmt *>> others_;
  clang::Expr *pointer_ = nullptr;
  clang::Expr *root_ = nullptr;
  clang::Stmt *parent_ = nullptr;
  clang::BindingDecl *binding_ = nullptr;
  bool is_exact_ = true;
};

/// True if an expression is an lvalue that PlaceChain decomposes.
bool is_place(const clang::Expr &expression);
/// Returns the lvalue whose address a pointer expression takes; null if it is not visible.
clang::Expr *address_of_place(clang::Expr &pointer);

/// Returns the constant value of a pointer, or the constant address of an lvalue, that clang may
/// substitute for the expression: of a reference, a constant pointer, or a template argument.
std::optional<clang::APValue> constant_address(const clang::Expr &expression,
                                               const clang::ASTContext &ast);
/// Returns the field that a constant pointer to member selects; null if it is not constant.
const clang::FieldDecl *chosen_field(const clang::BinaryOperator &choice,
                                     const clang::ASTContext &ast);

} // namespace sartor::compiler

#endif
