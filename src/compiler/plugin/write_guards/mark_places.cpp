// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/plugin/write_guards/mark_places.h"

#include <clang/AST/OpenMPClause.h>
#include <clang/Basic/Builtins.h>
#include <llvm/Support/SaveAndRestore.h>

#include "compiler/plugin/clang_version.h"
#include "compiler/plugin/write_guards/place_chain.h"

namespace sartor::compiler {

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

/// Returns the typeof that a type is written with, also by another name; null if there is none. Its
/// expression is evaluated if the type has a variable length.
const TypeOfExprType *type_of_expression(QualType type, const ASTContext &ast) {
  for (;;) {
    if (const auto *named = dyn_cast<TypeOfExprType>(type.getTypePtr()))
      return named;
    const QualType inner = type.getSingleStepDesugaredType(ast);
    if (inner == type)
      return nullptr;
    type = inner;
  }
}

/// True if the runtime cannot be asked about an address, which is relative to a segment.
bool is_in_other_space(QualType type) { return type.getAddressSpace() != LangAS::Default; }

constexpr const char *kInOtherSpace = "in another address space";

/// True if a call assigns all bytes of an object.
bool copies_object(const CallExpr &call) {
  const auto *method = dyn_cast_or_null<CXXMethodDecl>(call.getDirectCallee());
  return method && method->isTrivial() &&
         (method->isCopyAssignmentOperator() || method->isMoveAssignmentOperator());
}

} // namespace

void PlaceMarker::declare(const RecordDecl &record) {
  if (record.isCompleteDefinition() && !record.isInvalidDecl() && !record.isDependentType())
    book_.fields().within(type_of(record, ast_));
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
  for (const ParmVarDecl *parameter : function.parameters())
    visit_lengths(parameter->getOriginalType());
  visit(function.getBody(), nullptr);
}

void PlaceMarker::mark_initializer(VarDecl &variable) {
  if (variable.getDeclContext()->isDependentContext() || variable.getType()->isDependentType())
    return;
  if (variable.hasGlobalStorage())
    book_.declare(variable);
  Expr *value = variable.getInit();
  if (!value || value->isInstantiationDependent() || !seen_.insert(value).second)
    return;
  const bool is_constant = variable.isConstexpr() ||
                           (variable.hasGlobalStorage() && (!ast_.getLangOpts().CPlusPlus ||
                                                            variable.hasConstantInitialization()));
  if (!is_constant)
    return visit(value, nullptr);
  const QualType type = variable.getType();
  if (variable.isConstexpr() && (type->isPointerType() || type->isReferenceType()))
    book_.judge_constant(variable); // its uses are marked
  else
    book_.note_addresses(variable);
  mark_lambdas(*value);
}

void PlaceMarker::mark_lambdas(Stmt &constant) {
  if (auto *lambda = dyn_cast<LambdaExpr>(&constant))
    return mark(*lambda->getCallOperator());
  for (Stmt *child : constant.children())
    if (child && !is_not_evaluated(*child))
      mark_lambdas(*child);
}

void PlaceMarker::visit_children(Stmt &statement) {
  for (Stmt *child : statement.children())
    visit(child, &statement);
}

void PlaceMarker::visit(Stmt *statement, Stmt *parent, Use use) {
  if (!statement)
    return;
  if (const auto *expression = dyn_cast<Expr>(statement))
    visit_lengths(expression->getType());
  if (auto *expression = dyn_cast<Expr>(statement);
      expression && parent && use != Use::load && mark_constant(*expression, *parent, use))
    return;
  if (auto *question = dyn_cast<UnaryExprOrTypeTraitExpr>(statement))
    return visit_size(*question);
  if (is_not_evaluated(*statement))
    return;
  if (auto *expression = dyn_cast<Expr>(statement); expression && is_place(*expression))
    return visit_place(*expression, parent, use);
  if (isa<DeclRefExpr>(statement))
    return visit_name(*cast<Expr>(statement), parent, use);
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
    return visit_default(*written_elsewhere);
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
  if (auto *assembly = dyn_cast<GCCAsmStmt>(statement))
    return visit_assembly(*assembly);
  if (const auto *directive = dyn_cast<OMPExecutableDirective>(statement))
    visit_clauses(*directive);
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

void PlaceMarker::visit_lengths(QualType type) {
  while (!type.isNull() && type->isVariablyModifiedType()) {
    if (const TypeOfExprType *named = type_of_expression(type, ast_))
      return visit_once(named->getUnderlyingExpr());
    if (const VariableArrayType *array = ast_.getAsVariableArrayType(type))
      if (Expr *length = array->getSizeExpr())
        visit_once(length);
    if (const ArrayType *array = ast_.getAsArrayType(type))
      type = array->getElementType();
    else if (const auto *function = type->getAs<FunctionType>())
      type = function->getReturnType();
    else
      type = type->getPointeeType();
  }
}

// The operand of sizeof is evaluated if it has a variable length.
void PlaceMarker::visit_size(UnaryExprOrTypeTraitExpr &question) {
  const QualType type = question.getTypeOfArgument();
  if (question.isArgumentType())
    visit_lengths(type);
  else if (type->isVariableArrayType())
    visit(question.getArgumentExpr(), &question);
}

void PlaceMarker::visit_default(CXXDefaultArgExpr &argument) {
  Expr &value = *argument.getExpr();
  if (argument.hasRewrittenInit() || !value.isGLValue() || !names_watched(value))
    return visit_once(&value);
  if (seen_.insert(&value).second) // no other expression contains it
    argument.getParam()->setDefaultArg(
        writer_.mark_object(value, book_.number_without_guard(), may_be_constant_));
}

// Assembly has no types. An immediate operand must remain a constant; the LLVM half lists it.
void PlaceMarker::visit_assembly(GCCAsmStmt &assembly) {
  for (unsigned i = 0; i < assembly.getNumOutputs(); ++i) {
    Expr *output = assembly.getOutputExpr(i);
    output->getType()->isRecordType() ? visit_place(*output, &assembly, Use::any, /*whole=*/true)
                                      : visit(output, &assembly);
  }
  for (unsigned i = 0; i < assembly.getNumInputs(); ++i) {
    if (StringRef(assembly.getInputConstraint(i)).find_first_not_of("insSe") == StringRef::npos)
      continue;
    visit(assembly.getInputExpr(i), &assembly);
    Expr *input = assembly.getInputExpr(i); // may be a mark by now
    const QualType pointee = input->getType()->getPointeeType();
    if (input->getType()->isPointerType() && !pointee.isConstQualified())
      mark_pointee(*input, assembly);
  }
}

// Clauses are no children of the directive. If a clause's expression is evaluated before the
// directive, a declaration contains it.
void PlaceMarker::visit_clauses(const OMPExecutableDirective &directive) {
  for (OMPClause *clause : directive.clauses()) {
    if (OMPClauseWithPreInit *evaluated = OMPClauseWithPreInit::get(clause))
      visit(evaluated->getPreInitStmt(), nullptr);
    for (Stmt *part : clause->children())
      visit(part, nullptr);
  }
}

void PlaceMarker::visit_declarations(DeclStmt &statement) {
  for (Decl *declaration : statement.decls()) {
    if (const auto *value = dyn_cast<ValueDecl>(declaration))
      visit_lengths(value->getType());
    else if (const auto *name = dyn_cast<TypedefNameDecl>(declaration))
      visit_lengths(name->getUnderlyingType());
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
    return visit(inner, &cast, Use::load);
  case CK_NoOp: {
    const QualType pointee = cast.getType()->getPointeeType();
    const bool reads =
        (cast.isGLValue() || pointee.isNull() ? cast.getType() : pointee).isConstQualified();
    if (use == Use::any)
      note_cast(cast);
    return visit(inner, &cast, reads && use == Use::any ? Use::read : use);
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

// A pointer that was only to be read through has no mark, so casting its const away is recorded.
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

// A store through another type may write bytes outside of the field.
void PlaceMarker::visit_reinterpreted(CastExpr &cast, Use use) {
  Expr &inner = *cast.getSubExpr();
  const bool is_lvalue = cast.getCastKind() == CK_LValueBitCast;
  const QualType pointee = is_lvalue ? cast.getType() : cast.getType()->getPointeeType();
  if (use != Use::any || (!pointee.isNull() && pointee.isConstQualified()))
    return visit(&inner, &cast, use == Use::load ? use : Use::read);
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

// Marks the destination of the copy and returns the call's child that contains it.
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
  if (use == Use::load)
    return;
  Parts parts;
  bool is_exact = chain.is_exact();
  if (use == Use::any) {
    parts = chain.parts(book_.fields(), whole, beside);
    const Parts known = chain.pointer() ? Parts{} : parts_at_constant(*chain.root());
    is_exact &= known.empty();
    add_parts(known, 0, /*are_beside=*/false, parts);
  }
  if (parts.empty()) {
    const auto *cast = dyn_cast<CastExpr>(place.IgnoreParens());
    if (cast && use == Use::any)
      note_cast(*cast);
    if (!chain.pointer() && names_watched(*chain.root()))
      mark_at(chain, {}, is_exact);
    return;
  }
  // Code generation would otherwise copy consecutive fields together with the bytes between them.
  if (is_memberwise_ && parent && isa<MemberExpr>(place))
    replace_child(*parent, place,
                  *new (ast_) ParenExpr(place.getBeginLoc(), place.getEndLoc(), &place));
  mark_at(chain, std::move(parts), is_exact);
}

void PlaceMarker::visit_name(Expr &name, Stmt *parent, Use use) {
  if (parent && use != Use::load && name.isGLValue() && names_watched(name) &&
      !is_in_other_space(name.getType()))
    replace_child(*parent, name,
                  *writer_.mark_object(name, book_.number_without_guard(), may_be_constant_));
}

/// True if an expression certainly names a variable that is watched or has watched fields.
bool PlaceMarker::names_watched(const Expr &name) {
  const auto *reference = dyn_cast<DeclRefExpr>(&name);
  const auto *variable = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
  if (const auto address = constant_address(name, ast_))
    variable = WatchedFields::variable_at(*address);
  return variable && !book_.fields().of_variable(*variable).empty();
}

void PlaceMarker::visit_inside(const PlaceChain &chain) {
  for (const auto &[other, parent] : chain.others())
    visit(other, parent);
  if (chain.binding() && seen_.insert(chain.binding()).second)
    visit(chain.binding()->getBinding(), nullptr);
  if (chain.pointer())
    visit(chain.pointer(), chain.parent());
  else if (!is_place(*chain.root()) && !isa<DeclRefExpr>(chain.root()) &&
           !constant_address(*chain.root(), ast_))
    visit(chain.root(), chain.parent());
}

void PlaceMarker::mark_at(const PlaceChain &chain, Parts parts, bool is_exact) {
  Stmt *parent = chain.parent();
  Expr *root = chain.root();
  if (!parent || (!chain.pointer() && (!root->isGLValue() || isa<MaterializeTemporaryExpr>(root))))
    return;
  const SourceLocation place = root->getExprLoc();
  const QualType type =
      chain.pointer() ? chain.pointer()->getType()->getPointeeType() : root->getType();
  if (is_in_other_space(type))
    return book_.note(place, parts, kInOtherSpace);
  const unsigned number = parts.empty() ? book_.number_without_guard()
                                        : book_.number_of(place, std::move(parts), is_exact, type);
  if (!chain.pointer()) {
    replace_child(*parent, *root, *writer_.mark_object(*root, number, may_be_constant_));
    return;
  }
  // An expression inside may have been marked since, and thereby replaced.
  const PlaceChain now(*root, parent);
  Expr &pointer = *now.pointer();
  replace_child(*now.parent(), pointer, *writer_.mark_pointer(pointer, number, may_be_constant_));
}

Parts PlaceMarker::parts_at_constant(const Expr &expression) {
  const auto address = constant_address(expression, ast_);
  return address ? book_.fields().named_at(*address) : Parts{};
}

bool PlaceMarker::mark_constant(Expr &expression, Stmt &parent, Use use) {
  if (expression.isInstantiationDependent())
    return false;
  Parts parts;
  bool is_in_watched = false;
  const auto *choice = dyn_cast<BinaryOperator>(&expression);
  if (choice && choice->isPtrMemOp()) {
    const bool is_changed = use == Use::any && expression.isGLValue();
    if (const FieldDecl *field = is_changed ? chosen_field(*choice, ast_) : nullptr)
      parts = book_.fields().changed_through(*field);
    if (!parts.empty())
      visit_children(expression);
  } else if (const auto address = constant_address(expression, ast_)) {
    const VarDecl *variable = WatchedFields::variable_at(*address);
    is_in_watched = variable && !book_.fields().of_variable(*variable).empty();
    if (use == Use::any)
      parts = book_.fields().named_at(*address);
  }
  if (parts.empty() && !is_in_watched)
    return false;
  const QualType type =
      expression.isGLValue() ? expression.getType() : expression.getType()->getPointeeType();
  if (is_in_other_space(type)) {
    book_.note(expression.getExprLoc(), parts, kInOtherSpace);
    return true;
  }
  const unsigned number = parts.empty() ? book_.number_without_guard()
                                        : book_.number_of(expression.getExprLoc(), std::move(parts),
                                                          /*is_exact=*/false, type);
  replace_child(parent, expression,
                expression.isGLValue()
                    ? *writer_.mark_object(expression, number, may_be_constant_)
                    : *writer_.mark_pointer(expression, number, may_be_constant_));
  return true;
}

void PlaceMarker::mark_pointee(Expr &pointer, Stmt &parent) {
  const QualType pointee = pointer.getType()->getPointeeType();
  const Parts parts = book_.fields().within(pointee);
  if (is_in_other_space(pointee))
    book_.note(pointer.getExprLoc(), parts, kInOtherSpace);
  else if (!parts.empty())
    replace_child(parent, pointer,
                  *writer_.mark_pointer(pointer,
                                        book_.number_of(pointer.getExprLoc(), parts,
                                                        /*is_exact=*/true, pointee),
                                        may_be_constant_));
}

} // namespace sartor::compiler
