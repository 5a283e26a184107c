// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/plugin/write_guards/place_chain.h"

#include <clang/AST/Decl.h>

namespace sartor::compiler {

using namespace clang;

namespace {

/// Returns the array of an element access, if the array is an lvalue of its own, not a pointer's
/// target.
Expr *decayed_array(ArraySubscriptExpr &element) {
  auto *cast = dyn_cast<ImplicitCastExpr>(element.getBase()->IgnoreParens());
  return cast && cast->getCastKind() == CK_ArrayToPointerDecay ? cast->getSubExpr() : nullptr;
}

/// Returns the field that a member expression names; null for a reference, whose target is no part
/// of the object.
const FieldDecl *field_of(const MemberExpr &member) {
  const auto *field = dyn_cast<FieldDecl>(member.getMemberDecl());
  return field && !field->getType()->isReferenceType() ? field : nullptr;
}

BindingDecl *binding_of(Expr &expression) {
  auto *name = dyn_cast<DeclRefExpr>(&expression);
  return name ? dyn_cast<BindingDecl>(name->getDecl()) : nullptr;
}

} // namespace

bool is_place(const Expr &expression) {
  if (const auto *member = dyn_cast<MemberExpr>(&expression))
    return field_of(*member) != nullptr;
  if (const auto *name = dyn_cast<DeclRefExpr>(&expression))
    return isa<BindingDecl>(name->getDecl());
  return isa<ArraySubscriptExpr, ExtVectorElementExpr>(expression);
}

Expr *address_of_place(Expr &pointer) {
  Expr *at = pointer.IgnoreParens();
  if (auto *operation = dyn_cast<UnaryOperator>(at);
      operation && operation->getOpcode() == UO_AddrOf)
    return operation->getSubExpr();
  if (auto *cast = dyn_cast<ImplicitCastExpr>(at);
      cast && cast->getCastKind() == CK_ArrayToPointerDecay)
    return cast->getSubExpr();
  return nullptr;
}

PlaceChain::PlaceChain(Expr &place, Stmt *parent) : type_(place.getType()), parent_(parent) {
  Expr *at = &place;
  while (step(at)) {
  }
  root_ = at;
}

void PlaceChain::end_at_pointer(Expr &pointer, Stmt &parent) {
  pointer_ = &pointer;
  parent_ = &parent;
}

// Moves one step towards the root; returns false at the root.
bool PlaceChain::step(Expr *&place) {
  Expr *inner = nullptr;
  if (auto *member = dyn_cast<MemberExpr>(place)) {
    const FieldDecl *field = field_of(*member);
    if (!field)
      return false;
    fields_.push_back(field);
    if (member->isArrow()) {
      end_at_pointer(*member->getBase(), *member);
      return false;
    }
    inner = member->getBase();
  } else if (auto *element = dyn_cast<ArraySubscriptExpr>(place)) {
    others_.emplace_back(element->getIdx(), element);
    is_exact_ = false;
    if (!element->getBase()->getType()->isPointerType()) { // an element of a vector
      inner = element->getBase();
    } else if (Expr *array = decayed_array(*element)) {
      parent_ = element->getBase()->IgnoreParens();
      place = array;
      return true;
    } else {
      end_at_pointer(*element->getBase(), *element);
      return false;
    }
  } else if (auto *lanes = dyn_cast<ExtVectorElementExpr>(place)) {
    if (lanes->isArrow()) {
      end_at_pointer(*lanes->getBase(), *lanes);
      return false;
    }
    inner = lanes->getBase();
  } else if (auto *operation = dyn_cast<UnaryOperator>(place)) {
    if (operation->getOpcode() == UO_Deref) {
      end_at_pointer(*operation->getSubExpr(), *operation);
      return false;
    }
    if (!llvm::is_contained({UO_Real, UO_Imag, UO_Extension}, operation->getOpcode()))
      return false;
    inner = operation->getSubExpr();
  } else if (auto *parens = dyn_cast<ParenExpr>(place)) {
    inner = parens->getSubExpr();
  } else if (auto *cast = dyn_cast<CastExpr>(place)) {
    if (!cast->isGLValue() || !cast->getSubExpr()->isGLValue() ||
        cast->getCastKind() == CK_LValueBitCast || cast->getCastKind() == CK_Dynamic)
      return false;
    is_exact_ &= cast->getCastKind() == CK_NoOp;
    inner = cast->getSubExpr();
  } else {
    binding_ = binding_of(*place);
    return false;
  }
  parent_ = place;
  place = inner;
  return true;
}

WatchedFields::Parts PlaceChain::parts(WatchedFields &fields, bool whole, bool beside) const {
  WatchedFields::Parts parts = pointer_ ? WatchedFields::Parts{} : fields.named_by(*root_);
  std::uint64_t offset = 0; // from the root to the field's record
  for (const FieldDecl *field : llvm::reverse(fields_)) {
    add_parts(fields.changed_through(*field), offset, /*are_beside=*/false, parts);
    offset += fields.offset_of(*field);
  }
  if (whole)
    add_parts(fields.within(type_), offset, /*are_beside=*/false, parts);
  for (const FieldDecl *field : fields_) {
    offset -= fields.offset_of(*field);
    if (beside)
      add_parts(fields.within(*field->getParent()), offset, /*are_beside=*/true, parts);
  }
  return parts;
}

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
