// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mark_places.h"

#include <clang/AST/ExprConcepts.h>
#include <clang/Basic/Builtins.h>
#include <clang/Basic/SourceManager.h>
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

bool is_not_evaluated(const Stmt &statement) {
  return isa<UnaryExprOrTypeTraitExpr, CXXNoexceptExpr, ConstantExpr, TypeTraitExpr, RequiresExpr,
             CXXTypeidExpr>(statement);
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

bool is_read_only(QualType type) { return type.isConstQualified(); }

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

} // namespace

void PlaceMarker::declare(const RecordDecl &record) {
  if (record.isCompleteDefinition() && !record.isInvalidDecl() && !record.isDependentType())
    fields_.within(QualType(ast_.getCanonicalTagType(&record)));
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
      value->isInstantiationDependent() || variable.isConstexpr() || !seen_.insert(value).second)
    return;
  if (variable.hasGlobalStorage() &&
      (!ast_.getLangOpts().CPlusPlus || variable.hasConstantInitialization()))
    note_addresses(value);
  else
    visit(value, nullptr);
}

void PlaceMarker::visit_children(Stmt &statement) {
  for (Stmt *child : statement.children())
    visit(child, &statement);
}

void PlaceMarker::visit(Stmt *statement, Stmt *parent, Use use) {
  if (!statement || is_not_evaluated(*statement))
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
      note(offset->getExprLoc(), fields_.changed_through(*last.getField()), "offsetof");
    return;
  }
  if (auto *made = dyn_cast<CXXNewExpr>(statement))
    if (const FunctionDecl *where = made->getOperatorNew();
        where && where->isReservedGlobalPlacementOperator())
      note(made->getExprLoc(), fields_.within(made->getAllocatedType()), "constructed in place");
  visit_children(*statement);
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
        is_read_only(cast.isGLValue() || pointee.isNull() ? cast.getType() : pointee);
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

// As something else, bytes may be written that do not belong to the field at hand.
void PlaceMarker::visit_reinterpreted(CastExpr &cast, Use use) {
  Expr &inner = *cast.getSubExpr();
  const bool is_lvalue = cast.getCastKind() == CK_LValueBitCast;
  const QualType pointee = is_lvalue ? cast.getType() : cast.getType()->getPointeeType();
  if (use == Use::read || (!pointee.isNull() && is_read_only(pointee)))
    return visit(&inner, &cast, Use::read);
  if (is_lvalue)
    return visit_place(inner, &cast, use, /*whole=*/true, /*beside=*/true);
  if (!inner.getType()->isPointerType())
    return visit(&inner, &cast);
  if (Expr *place = address_of_place(inner))
    return visit_place(*place, inner.IgnoreParens(), use, /*whole=*/true, /*beside=*/true);
  visit(&inner, &cast);
  mark_pointee(*cast.getSubExpr(), cast, /*is_neighbour=*/false);
}

void PlaceMarker::visit_address(UnaryOperator &operation, Use use) {
  Expr *of = operation.getSubExpr();
  if (const auto *name = dyn_cast<DeclRefExpr>(of->IgnoreParens()))
    if (const auto *field = dyn_cast<FieldDecl>(name->getDecl()))
      return WatchedFields::is_watched(*field)
                 ? note(operation.getExprLoc(), fields_.changed_through(*field),
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
  Stmt *copied_to = nullptr;
  if (copies_object(call)) {
    auto *method = dyn_cast<MemberExpr>(call.getCallee()->IgnoreParens());
    if (isa<CXXOperatorCallExpr>(call)) {
      copied_to = call.getArg(0);
      visit_place(*call.getArg(0), &call, Use::any, /*whole=*/true);
    } else if (method) {
      copied_to = call.getCallee();
      Expr *object = method->getBase();
      if (method->isArrow()) {
        visit(object, method);
        mark_pointee(*method->getBase(), *method, /*is_neighbour=*/false);
      } else {
        visit_place(*object, method, Use::any, /*whole=*/true);
      }
    }
  }
  bool is_first = isa<CXXOperatorCallExpr>(call);
  for (Stmt *child : call.children()) {
    if (child == copied_to || (copied_to && is_first && child != call.getCallee())) {
      is_first = false;
      continue;
    }
    visit(child, &call);
  }
}

void PlaceMarker::visit_place(Expr &place, Stmt *parent, Use use, bool whole, bool beside) {
  const PlaceChain chain(place, parent);
  visit_inside(chain);
  if (use == Use::read)
    return;
  const Parts named = chain.parts(fields_, whole, /*beside=*/false);
  Parts all = beside ? chain.parts(fields_, whole, beside) : named;
  if (all.empty())
    return;
  // The fields that code generation would copy together, with what lies between.
  if (is_memberwise_ && parent && isa<MemberExpr>(place))
    replace_child(*parent, place,
                  *new (ast_) ParenExpr(place.getBeginLoc(), place.getEndLoc(), &place));
  mark_at(chain, std::move(all), named.empty());
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

void PlaceMarker::mark_at(const PlaceChain &chain, Parts parts, bool is_neighbour) {
  Stmt *parent = chain.parent();
  Expr *root = chain.root();
  if (!parent || (!chain.pointer() && (!root->isLValue() || isa<MaterializeTemporaryExpr>(root))))
    return;
  const SourceLocation place = root->getExprLoc();
  const QualType type =
      chain.pointer() ? chain.pointer()->getType()->getPointeeType() : root->getType();
  const unsigned number = number_of(place, std::move(parts), chain.is_exact(), is_neighbour, type);
  if (!chain.pointer()) {
    replace_child(*parent, *root, *writer_.mark_object(*root, number, may_be_constant_));
    return;
  }
  // What lies inside it may have been marked meanwhile, and be another expression.
  const PlaceChain now(*root, parent);
  Expr &pointer = *now.pointer();
  replace_child(*now.parent(), pointer, *writer_.mark_pointer(pointer, number, may_be_constant_));
}

void PlaceMarker::mark_pointee(Expr &pointer, Stmt &parent, bool is_neighbour) {
  const QualType pointee = pointer.getType()->getPointeeType();
  if (const Parts parts = fields_.within(pointee); !parts.empty())
    replace_child(parent, pointer,
                  *writer_.mark_pointer(pointer,
                                        number_of(pointer.getExprLoc(), parts, /*is_exact=*/true,
                                                  is_neighbour, pointee),
                                        may_be_constant_));
}

unsigned PlaceMarker::number_of(SourceLocation place, Parts parts, bool is_exact, bool is_neighbour,
                                QualType object) {
  const auto size = object->isIncompleteType() ? 0 : ast_.getTypeSizeInChars(object).getQuantity();
  table_.marks.push_back({place_of(place), std::move(parts), is_exact,
                          static_cast<std::uint64_t>(size), is_neighbour});
  return static_cast<unsigned>(table_.marks.size() - 1);
}

SourcePlace PlaceMarker::place_of(SourceLocation location) const {
  const SourceManager &sources = ast_.getSourceManager();
  const PresumedLoc place = sources.getPresumedLoc(sources.getExpansionLoc(location));
  return place.isValid() ? SourcePlace{place.getFilename(), place.getLine()} : SourcePlace{};
}

void PlaceMarker::note(SourceLocation place, const Parts &parts, const std::string &reason) {
  for (const WatchedPart &part : parts)
    table_.unproven.push_back({place_of(place), table_.fields[part.field].name(), reason});
}

void PlaceMarker::note_addresses(const Stmt *constant) {
  if (!constant || is_not_evaluated(*constant))
    return;
  if (const auto *member = dyn_cast<MemberExpr>(constant))
    if (const auto *field = dyn_cast<FieldDecl>(member->getMemberDecl()))
      note(member->getExprLoc(), fields_.changed_through(*field), "address in static data");
  const auto *cast = dyn_cast<CastExpr>(constant);
  if (cast && cast->getCastKind() == CK_LValueToRValue)
    return;
  for (const Stmt *child : constant->children())
    note_addresses(child);
}

} // namespace sartor::plugin
