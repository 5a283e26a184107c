// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_PLUGIN_MARK_PLACES_H
#define SARTOR_COMPILER_PLUGIN_MARK_PLACES_H

#include <clang/AST/DeclCXX.h>
#include <clang/AST/ExprCXX.h>
#include <llvm/ADT/DenseSet.h>

#include "mark_book.h"
#include "mark_writer.h"
#include "place_chain.h"

namespace sartor::compiler {

/// Marks, in the bodies of functions, every expression by whose address a watched field may be
/// changed: what becomes of the address is LLVM's half's to follow. An address that is only read
/// through, as the types say, is not marked.
class PlaceMarker {
public:
  PlaceMarker(clang::ASTContext &ast, WatchTable &table)
      : ast_(ast), book_(ast, table), writer_(ast) {}

  /// Each body once.
  void mark(clang::FunctionDecl &function);
  void mark_initializer(clang::VarDecl &variable);
  /// Takes the watched fields of a record down.
  void declare(const clang::RecordDecl &record);
  /// A watched variable.
  void declare(clang::VarDecl &variable) { book_.fields().watch(variable); }
  /// The whole file has been seen.
  void finish() { book_.finish(); }

private:
  /// The use of the object that an lvalue names or a pointer points to. `load`: only its value is
  /// taken.
  enum class Use { any, read, load };

  bool is_place(const clang::Expr &expression) {
    return compiler::is_place(expression) || !book_.fields().named_by(expression).empty();
  }
  void visit(clang::Stmt *statement, clang::Stmt *parent, Use use = Use::any);
  void visit_once(clang::Expr *expression);
  void visit_children(clang::Stmt &statement);
  void visit_default(clang::CXXDefaultArgExpr &argument);
  void visit_assembly(clang::GCCAsmStmt &assembly);
  void visit_declarations(clang::DeclStmt &statement);
  void visit_lambda(clang::LambdaExpr &lambda);
  /// The bodies of lambda expressions in an initialiser that is a constant.
  void mark_lambdas(clang::Stmt &constant);
  void visit_cast(clang::CastExpr &cast, Use use);
  void note_cast(const clang::CastExpr &cast);
  void visit_reinterpreted(clang::CastExpr &cast, Use use);
  void visit_address(clang::UnaryOperator &operation, Use use);
  void visit_binary(clang::BinaryOperator &operation, Use use);
  void visit_call(clang::CallExpr &call);
  const clang::Stmt *visit_copied_to(clang::CallExpr &call);
  void visit_place(clang::Expr &place, clang::Stmt *parent, Use use, bool whole = false,
                   bool beside = false);
  void visit_name(clang::Expr &name, clang::Stmt *parent, Use use);
  void visit_inside(const PlaceChain &chain);
  bool names_watched(const clang::Expr &name);
  /// What clang may put a constant address in place of: a reference, a constant pointer, a
  /// template's argument, a pointer to a member. Whether it was one that leads into a watched
  /// object.
  bool mark_constant(clang::Expr &expression, clang::Stmt &parent, Use use);
  WatchedFields::Parts parts_at_constant(const clang::Expr &expression);
  void mark_at(const PlaceChain &chain, WatchedFields::Parts parts, bool is_exact);
  void mark_pointee(clang::Expr &pointer, clang::Stmt &parent);

  clang::ASTContext &ast_;
  MarkBook book_;
  MarkWriter writer_;
  llvm::DenseSet<const void *> seen_;
  bool may_be_constant_ = false; ///< The function at hand.
  bool is_memberwise_ = false;   ///< An assignment operator that the compiler has written.
};

} // namespace sartor::compiler

#endif
