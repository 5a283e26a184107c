// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "accesses.h"

#include <clang/AST/DynamicRecursiveASTVisitor.h>

namespace sartor::compiler {

using namespace clang;

namespace {

/// Returns the field or global variable that an lvalue names; null if it is neither.
const ValueDecl *named(const Expr &expression) {
  const Expr *at = expression.IgnoreParenImpCasts();
  if (const auto *element = dyn_cast<ArraySubscriptExpr>(at))
    return named(*element->getBase());
  if (const auto *member = dyn_cast<MemberExpr>(at)) {
    const auto *field = dyn_cast<FieldDecl>(member->getMemberDecl());
    return field && field->getIdentifier() ? field : nullptr;
  }
  const auto *name = dyn_cast<DeclRefExpr>(at);
  const auto *variable = name ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
  return variable && variable->isFileVarDecl() ? variable->getCanonicalDecl() : nullptr;
}

} // namespace

class AccessVisitor final : public DynamicRecursiveASTVisitor {
public:
  explicit AccessVisitor(Accesses &to) : to_(to) {}

  bool TraverseFunctionDecl(FunctionDecl *function) override {
    if (!function->doesThisDeclarationHaveABody())
      return true;
    function_ = function;
    to_.functions_[function]; // creates a record also for a function without accesses
    const bool goes_on = DynamicRecursiveASTVisitor::TraverseFunctionDecl(function);
    function_ = nullptr;
    return goes_on;
  }
  bool TraverseCXXMethodDecl(CXXMethodDecl *method) override {
    return TraverseFunctionDecl(method);
  }

  bool VisitImplicitCastExpr(ImplicitCastExpr *cast) override {
    if (cast->getCastKind() == CK_LValueToRValue)
      read(*cast->getSubExpr());
    return true;
  }
  bool VisitBinaryOperator(BinaryOperator *operation) override {
    if (operation->isCompoundAssignmentOp())
      read(*operation->getLHS());
    if (operation->isAssignmentOp())
      write(*operation->getLHS());
    return true;
  }
  bool VisitUnaryOperator(UnaryOperator *operation) override {
    if (operation->isIncrementDecrementOp())
      read(*operation->getSubExpr());
    if (operation->isIncrementDecrementOp() || operation->getOpcode() == UO_AddrOf)
      write(*operation->getSubExpr());
    return true;
  }
  bool VisitCallExpr(CallExpr *call) override {
    const FunctionDecl *called = call->getDirectCallee();
    if (function_ && called && called->getDefinition())
      to_.functions_[function_].calls.insert(called->getDefinition());
    return true;
  }

private:
  void read(const Expr &expression) {
    if (const ValueDecl *memory = named(expression); memory && function_)
      to_.functions_[function_].reads.insert(memory);
  }
  void write(const Expr &expression) {
    if (const ValueDecl *memory = named(expression); memory && function_)
      to_.writes_[memory].push_back({function_, expression.getExprLoc()});
  }

  Accesses &to_;
  const FunctionDecl *function_ = nullptr;
};

Accesses::Accesses(ASTContext &ast) {
  AccessVisitor(*this).TraverseDecl(ast.getTranslationUnitDecl());
}

std::vector<const FunctionDecl *> Accesses::reached_from(const FunctionDecl &function) const {
  llvm::SetVector<const FunctionDecl *> reached;
  reached.insert(&function);
  for (unsigned i = 0; i < reached.size(); ++i)
    if (const Function *known = of(*reached[i]))
      reached.insert(known->calls.begin(), known->calls.end());
  return {reached.begin(), reached.end()};
}

const Accesses::Function *Accesses::of(const FunctionDecl &function) const {
  const auto *found = functions_.find(&function);
  return found != functions_.end() ? &found->second : nullptr;
}

llvm::ArrayRef<Accesses::Write> Accesses::writes_to(const ValueDecl &memory) const {
  const auto *found = writes_.find(&memory);
  return found != writes_.end() ? llvm::ArrayRef(found->second) : llvm::ArrayRef<Write>();
}

std::vector<const FunctionDecl *> Accesses::functions() const {
  std::vector<const FunctionDecl *> all;
  for (const auto &[function, accesses] : functions_)
    all.push_back(function);
  return all;
}

} // namespace sartor::compiler
