// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mark_places.h"

#include <optional>

#include <clang/AST/APValue.h>
#include <clang/Basic/Builtins.h>
#include <llvm/Support/SaveAndRestore.h>

namespace sartor::plugin {

using namespace clang;

namespace {

using Parts = WatchedFields::Parts;

void replace_child(Stmt &parent, const Expr &old, Expr &with) {
  for (Stmt *&child : parent.children())
    if (child == &old)
      child = &with;
}

bool asks_about_its_argument(const CallExpr &call) {
  switch (call.getBuiltinCallee()) {
  case Builtin::BI__builtin_constant_p:
  case Builtin::BI__builtin_object_size:
  case Builtin::BI__builtin_dynamic_object_size:
    return true;
  default:
    return false;
  }
}

/// Whether a call is an assignment of all of an object's bytes.
bool copies_object(const CallExpr &call) {
  const auto *method = dyn_cast_or_null<CXXMethodDecl>(call.getDirectCallee());
  return method && method->isTrivial() &&
         (method->isCopyAssignmentOperator() || method->isMoveAssignmentOperator());
}

/// The value of a variable that clang may use in its place.
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

/// A constant pointer, or the constant address of what an lvalue names.
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

/// The field that a constant pointer to a member chooses; null if it is none.
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

} // namespace

void PlaceMarker::declare(const RecordDecl &record) {
  if (record.isCompleteDefinition() && !record.isInvalidDecl() && !record.isDependentType())
    book_.fields().within(QualType(ast_.getCanonicalTagType(&record)));
}

void PlaceMarker::mark(FunctionDecl &function) {
  if (!function.doesThisDeclarationHaveABody() || function.isDependentContext() ||
      function.isConsteval() || !seen_.insert(function.getBody()).second)
    return;
  const SaveAndRestore constant(may_be_constant_, function.isConstexpr());
  const SaveAndRestore memberwise(is_memberwise_, function.isDefaulted());
  if (auto *constructor = dyn_cast<CXXConstructorDecl>(&function))
    for (CXXCtorInitializer *initializer : constructor->inits())
      visit(initializer->getInit(), nullptr);
  visit(function.getBody(), nullptr);
}

void PlaceMarker::mark_initializer(VarDecl &variable) {
  Expr *value = variable.getInit();
  if (!value || variable.getDeclContext()->isDependentContext() ||
      value->isInstantiationDependent() || !seen_.insert(value).second)
    return;
  if (variable.isConstexpr()) {
    // Each use of a pointer or a reference is marked.
    if (!variable.getType()->isPointerType() && !variable.getType()->isReferenceType())
      book_.note_addresses(value);
  } else if (variable.hasGlobalStorage() &&
             (!ast_.getLangOpts().CPlusPlus || variable.hasConstantInitialization()))
    book_.note_addresses(value);
  else
    visit(value, nullptr);
}

void PlaceMarker::visit_children(Stmt &statement) {
  for (Stmt *child : statement.children())
    visit(child, &statement);
}

void PlaceMarker::visit(Stmt *statement, Stmt *parent, Use use) {
  if (!statement)
    return;
  if (auto *expression = dyn_cast<Expr>(statement);
      expression && parent && use != Use::read && mark_constant(*expression, *parent))
    return;
  if (is_not_evaluated(*statement))
    return;
  if (auto *expression = dyn_cast<Expr>(statement); expression && is_place(*expression))
    return visit_place(*expression, parent, use);
  if (auto *cast = dyn_cast<CastExpr>(statement))
    return visit_cast(*cast, use);
  if (auto *operation = dyn_cast<UnaryOperator>(statement))
    return operation->getOpcode() == UO_AddrOf ? visit_address(*operation, use)
           : operation->getOpcode() == UO_Deref || operation->isIncrementDecrementOp()
               ? visit(operation->getSubExpr(), operation)
               : visit(operation->getSubExpr(), operation, use);
  if (auto *parens = dyn_cast<ParenExpr>(statement))
    return visit(parens->getSubExpr(), parens, use);
  if (auto *operation = dyn_cast<BinaryOperator>(statement))
    return visit_binary(*operation, use);
  if (auto *choice = dyn_cast<ConditionalOperator>(statement)) {
    visit(choice->getCond(), choice);
    visit(choice->getTrueExpr(), choice, use);
    return visit(choice->getFalseExpr(), choice, use);
  }
  if (auto *written_elsewhere = dyn_cast<CXXDefaultArgExpr>(statement))
    return visit_once(written_elsewhere->getExpr());
  if (auto *written_elsewhere = dyn_cast<CXXDefaultInitExpr>(statement))
    return visit_once(written_elsewhere->getExpr());
  if (auto *captured = dyn_cast<CapturedStmt>(statement))
    return visit(captured->getCapturedStmt(), nullptr);
  if (auto *block = dyn_cast<BlockExpr>(statement))
    return visit(block->getBody(), nullptr);
  if (auto *choice = dyn_cast<GenericSelectionExpr>(statement))
    return visit(choice->isResultDependent() ? nullptr : choice->getResultExpr(), choice, use);
  if (auto *choice = dyn_cast<ChooseExpr>(statement))
    return visit(choice->getChosenSubExpr(), choice, use);
  if (auto *call = dyn_cast<CallExpr>(statement))
    return visit_call(*call);
  if (auto *lambda = dyn_cast<LambdaExpr>(statement))
    return visit_lambda(*lambda);
  if (auto *declarations = dyn_cast<DeclStmt>(statement))
    return visit_declarations(*declarations);
  if (auto *offset = dyn_cast<OffsetOfExpr>(statement)) {
    const OffsetOfNode &last = offset->getComponent(offset->getNumComponents() - 1);
    if (last.getKind() == OffsetOfNode::Field && WatchedFields::is_watched(*last.getField()))
      book_.note(offset->getExprLoc(), book_.fields().changed_through(*last.getField()),
                 "offsetof");
    return;
  }
  if (auto *made = dyn_cast<CXXNewExpr>(statement))
    if (const FunctionDecl *where = made->getOperatorNew();
        where && where->isReservedGlobalPlacementOperator())
      book_.note(made->getExprLoc(), book_.fields().within(made->getAllocatedType()),
                 "constructed in place");
  visit_children(*statement);
}

void PlaceMarker::visit_once(Expr *expression) {
  if (seen_.insert(expression).second)
    visit(expression, nullptr);
}

void PlaceMarker::visit_declarations(DeclStmt &statement) {
  for (Decl *declaration : statement.decls()) {
    if (auto *variable = dyn_cast<VarDecl>(declaration))
      mark_initializer(*variable);
    else if (auto *record = dyn_cast<CXXRecordDecl>(declaration); record && record->hasDefinition())
      for (CXXMethodDecl *method : record->methods())
        mark(*method);
  }
}

void PlaceMarker::visit_lambda(LambdaExpr &lambda) {
  for (Expr *captured : lambda.capture_inits())
    visit(captured, &lambda);
  mark(*lambda.getCallOperator());
}

void PlaceMarker::visit_cast(CastExpr &cast, Use use) {
  Expr *inner = cast.getSubExpr();
  switch (cast.getCastKind()) {
  case CK_LValueToRValue:
  case CK_PointerToBoolean:
  case CK_ToVoid:
    return visit(inner, &cast, Use::read);
  case CK_NoOp: {
    const QualType pointee = cast.getType()->getPointeeType();
    const bool reads =
        (cast.isGLValue() || pointee.isNull() ? cast.getType() : pointee).isConstQualified();
    if (use != Use::read)
      note_cast(cast);
    return visit(inner, &cast, reads ? Use::read : use);
  }
  case CK_ArrayToPointerDecay:
  case CK_DerivedToBase:
  case CK_UncheckedDerivedToBase:
  case CK_BaseToDerived:
    return visit(inner, &cast, use);
  case CK_BitCast:
  case CK_LValueBitCast:
  case CK_PointerToIntegral:
    return visit_reinterpreted(cast, use);
  default:
    return visit(inner, &cast);
  }
}

// What was only to be read through has not been marked.
void PlaceMarker::note_cast(const CastExpr &cast) {
  const auto named_by = [&](const Expr &expression) {
    const QualType pointee = expression.getType()->getPointeeType();
    return cast.isGLValue() || pointee.isNull() ? expression.getType() : pointee;
  };
  const QualType to = named_by(cast);
  if (cast.getCastKind() == CK_NoOp && !to.isConstQualified() &&
      named_by(*cast.getSubExpr()).isConstQualified())
    book_.note(cast.getExprLoc(), book_.fields().of_type(to), "const is cast away");
}

// As something else, bytes may be written that do not belong to the field at hand.
void PlaceMarker::visit_reinterpreted(CastExpr &cast, Use use) {
  Expr &inner = *cast.getSubExpr();
  const bool is_lvalue = cast.getCastKind() == CK_LValueBitCast;
  const QualType pointee = is_lvalue ? cast.getType() : cast.getType()->getPointeeType();
  if (use == Use::read || (!pointee.isNull() && pointee.isConstQualified()))
    return visit(&inner, &cast, Use::read);
  if (is_lvalue)
    return visit_place(inner, &cast, use, /*whole=*/true, /*beside=*/true);
  if (!inner.getType()->isPointerType())
    return visit(&inner, &cast);
  if (Expr *place = address_of_place(inner))
    return visit_place(*place, inner.IgnoreParens(), use, /*whole=*/true, /*beside=*/true);
  visit(&inner, &cast);
  mark_pointee(*cast.getSubExpr(), cast);
}

void PlaceMarker::visit_address(UnaryOperator &operation, Use use) {
  Expr *of = operation.getSubExpr();
  if (const auto *name = dyn_cast<DeclRefExpr>(of->IgnoreParens()))
    if (const auto *field = dyn_cast<FieldDecl>(name->getDecl()))
      return WatchedFields::is_watched(*field)
                 ? book_.note(operation.getExprLoc(), book_.fields().changed_through(*field),
                              "pointer to member")
                 : void();
  visit(of, &operation, use);
}

void PlaceMarker::visit_binary(BinaryOperator &operation, Use use) {
  if (operation.getOpcode() == BO_Comma) {
    visit(operation.getLHS(), &operation);
    return visit(operation.getRHS(), &operation, use);
  }
  Expr *to = operation.getLHS();
  if (operation.getOpcode() == BO_Assign && to->isGLValue() && to->getType()->isRecordType())
    visit_place(*to, &operation, Use::any, /*whole=*/true);
  else
    visit(to, &operation);
  visit(operation.getRHS(), &operation);
}

void PlaceMarker::visit_call(CallExpr &call) {
  if (asks_about_its_argument(call))
    return;
  const Stmt *copied_to = copies_object(call) ? visit_copied_to(call) : nullptr;
  for (Stmt *child : call.children())
    if (child != copied_to)
      visit(child, &call);
}

// The call's child that says what is copied to.
const Stmt *PlaceMarker::visit_copied_to(CallExpr &call) {
  if (isa<CXXOperatorCallExpr>(call)) {
    visit_place(*call.getArg(0), &call, Use::any, /*whole=*/true);
    return call.getArg(0);
  }
  auto *method = dyn_cast<MemberExpr>(call.getCallee()->IgnoreParens());
  if (!method)
    return nullptr;
  if (method->isArrow()) {
    visit(method->getBase(), method);
    mark_pointee(*method->getBase(), *method);
  } else {
    visit_place(*method->getBase(), method, Use::any, /*whole=*/true);
  }
  return call.getCallee();
}

void PlaceMarker::visit_place(Expr &place, Stmt *parent, Use use, bool whole, bool beside) {
  const PlaceChain chain(place, parent);
  visit_inside(chain);
  if (use == Use::read)
    return;
  Parts parts = chain.parts(book_.fields(), whole, beside);
  if (parts.empty()) {
    if (const auto *cast = dyn_cast<CastExpr>(place.IgnoreParens()))
      note_cast(*cast);
    return;
  }
  // The fields that code generation would copy together, with what lies between.
  if (is_memberwise_ && parent && isa<MemberExpr>(place))
    replace_child(*parent, place,
                  *new (ast_) ParenExpr(place.getBeginLoc(), place.getEndLoc(), &place));
  mark_at(chain, std::move(parts));
}

void PlaceMarker::visit_inside(const PlaceChain &chain) {
  for (const auto &[other, parent] : chain.others())
    visit(other, parent);
  if (chain.binding() && seen_.insert(chain.binding()).second)
    visit(chain.binding()->getBinding(), nullptr);
  if (chain.pointer())
    visit(chain.pointer(), chain.parent());
  else if (!is_place(*chain.root()))
    visit(chain.root(), chain.parent());
}

void PlaceMarker::mark_at(const PlaceChain &chain, Parts parts) {
  Stmt *parent = chain.parent();
  Expr *root = chain.root();
  if (!parent || (!chain.pointer() && (!root->isGLValue() || isa<MaterializeTemporaryExpr>(root))))
    return;
  const SourceLocation place = root->getExprLoc();
  const QualType type =
      chain.pointer() ? chain.pointer()->getType()->getPointeeType() : root->getType();
  const unsigned number = book_.number_of(place, std::move(parts), chain.is_exact(), type);
  if (!chain.pointer()) {
    replace_child(*parent, *root, *writer_.mark_object(*root, number, may_be_constant_));
    return;
  }
  // What lies inside it may have been marked meanwhile, and be another expression.
  const PlaceChain now(*root, parent);
  Expr &pointer = *now.pointer();
  replace_child(*now.parent(), pointer, *writer_.mark_pointer(pointer, number, may_be_constant_));
}

bool PlaceMarker::mark_constant(Expr &expression, Stmt &parent) {
  if (expression.isInstantiationDependent())
    return false;
  Parts parts;
  const auto *choice = dyn_cast<BinaryOperator>(&expression);
  if (choice && choice->isPtrMemOp()) {
    if (const FieldDecl *field = expression.isGLValue() ? chosen_field(*choice, ast_) : nullptr)
      parts = book_.fields().changed_through(*field);
    if (!parts.empty())
      visit_children(expression);
  } else if (const auto address = constant_address(expression, ast_)) {
    parts = book_.fields().named_at(*address);
  }
  if (parts.empty())
    return false;
  const QualType type =
      expression.isGLValue() ? expression.getType() : expression.getType()->getPointeeType();
  const unsigned number =
      book_.number_of(expression.getExprLoc(), std::move(parts), /*is_exact=*/false, type);
  replace_child(parent, expression,
                expression.isGLValue()
                    ? *writer_.mark_object(expression, number, may_be_constant_)
                    : *writer_.mark_pointer(expression, number, may_be_constant_));
  return true;
}

void PlaceMarker::mark_pointee(Expr &pointer, Stmt &parent) {
  const QualType pointee = pointer.getType()->getPointeeType();
  if (const Parts parts = book_.fields().within(pointee); !parts.empty())
    replace_child(parent, pointer,
                  *writer_.mark_pointer(pointer,
                                        book_.number_of(pointer.getExprLoc(), parts,
                                                        /*is_exact=*/true, pointee),
                                        may_be_constant_));
}

} // namespace sartor::plugin
