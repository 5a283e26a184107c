// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/plugin/write_guards/constants.h"

#include <clang/AST/Decl.h>
#include <clang/AST/ExprCXX.h>

namespace sartor::compiler {

using namespace clang;

namespace {

/// Returns the value of a variable that clang may use in its place.
const APValue *constant_of(const Expr &name) {
  const auto *reference = dyn_cast<DeclRefExpr>(name.IgnoreParens());
  const auto *variable = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
  const Expr *value = variable ? variable->getAnyInitializer(variable) : nullptr;
  if (!value || value->isValueDependent() || variable->isWeak())
    return nullptr;
  const QualType type = variable->getType();
  if (!type->isReferenceType() && (!type.isConstQualified() || type.isVolatileQualified()))
    return nullptr;
  return variable->evaluateValue();
}

} // namespace

std::optional<APValue> constant_address(const Expr &expression, const ASTContext &ast) {
  const APValue *known = nullptr;
  Expr::EvalResult found;
  if (const auto *cast = dyn_cast<CastExpr>(&expression)) {
    if (cast->getCastKind() == CK_LValueToRValue && cast->getType()->isPointerType())
      known = constant_of(*cast->getSubExpr());
  } else if (isa<SubstNonTypeTemplateParmExpr, ConstantExpr>(expression)) {
    if (expression.isGLValue()
            ? expression.EvaluateAsLValue(found, ast)
            : expression.getType()->isPointerType() && expression.EvaluateAsRValue(found, ast))
      known = &found.Val;
  } else if (const auto *name = dyn_cast<DeclRefExpr>(&expression)) {
    if (name->getDecl()->getType()->isReferenceType())
      known = constant_of(expression);
  }
  return known ? std::optional(*known) : std::nullopt;
}

const FieldDecl *chosen_field(const BinaryOperator &choice, const ASTContext &ast) {
  const Expr &which = *choice.getRHS();
  Expr::EvalResult found;
  const APValue *known = constant_of(*which.IgnoreParenImpCasts());
  if (!known && which.EvaluateAsRValue(found, ast))
    known = &found.Val;
  return known && known->isMemberPointer()
             ? dyn_cast_or_null<FieldDecl>(known->getMemberPointerDecl())
             : nullptr;
}

} // namespace sartor::compiler
