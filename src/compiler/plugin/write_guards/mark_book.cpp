// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/plugin/write_guards/mark_book.h"

#include <optional>

#include <clang/AST/APValue.h>
#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/ExprConcepts.h>
#include <clang/AST/Mangle.h>
#include <clang/Basic/SourceManager.h>
#include <llvm/ADT/StringSet.h>

#include "compiler/plugin/write_guards/watched_fields.h"

namespace sartor::compiler {

using namespace clang;

using Parts = WatchedFields::Parts;

namespace {

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

std::optional<WatchedFields::Parts> StaticValues::held_by(const APValue &value, QualType type) {
  held_.clear();
  is_known_ = true;
  look_at(value, type);
  return is_known_ ? std::optional(std::move(held_)) : std::nullopt;
}

void StaticValues::look_at(const APValue &value, QualType type) {
  if (const auto *atomic = type->getAs<AtomicType>())
    type = atomic->getValueType();
  if (value.isLValue())
    return look_at_address(value, type);
  if (value.isMemberPointer()) {
    if (const auto *field = dyn_cast_or_null<FieldDecl>(value.getMemberPointerDecl()))
      add(fields_.changed_through(*field));
    return;
  }
  if (value.isArray()) {
    const ArrayType *array = ast_.getAsArrayType(type);
    if (!array)
      return;
    for (unsigned i = 0; i < value.getArrayInitializedElts(); ++i)
      look_at(value.getArrayInitializedElt(i), array->getElementType());
    if (value.hasArrayFiller())
      look_at(value.getArrayFiller(), array->getElementType());
  } else if (value.isStruct()) {
    look_at_record(value, type);
  } else if (value.isUnion() && value.getUnionField()) {
    look_at(value.getUnionValue(), value.getUnionField()->getType());
  }
}

void StaticValues::look_at_record(const APValue &value, QualType type) {
  const RecordDecl *record = type->getAsRecordDecl();
  if (!record)
    return;
  if (const auto *derived = dyn_cast<CXXRecordDecl>(record)) {
    unsigned index = 0;
    for (const CXXBaseSpecifier &base : derived->bases())
      if (index < value.getStructNumBases())
        look_at(value.getStructBase(index++), base.getType());
  }
  for (const FieldDecl *field : record->fields())
    if (!field->isUnnamedBitField() && field->getFieldIndex() < value.getStructNumFields())
      look_at(value.getStructField(field->getFieldIndex()), field->getType());
}

void StaticValues::look_at_address(const APValue &address, QualType type) {
  const QualType pointee = type->getPointeeType();
  const auto *base = address.getLValueBase().dyn_cast<const Expr *>();
  if (const auto *temporary = dyn_cast_or_null<MaterializeTemporaryExpr>(base))
    if (const APValue *value = temporary->getOrCreateValue(/*MayCreate=*/false))
      return look_at(*value, temporary->getType());
  is_known_ &= !base || isa<StringLiteral, PredefinedExpr, AddrLabelExpr>(base);
  const VarDecl *variable = WatchedFields::variable_at(address);
  if (!variable || (!pointee.isNull() && pointee.isConstQualified()))
    return;
  const QualType at = fields_.type_at(address);
  const bool is_its_own =
      !pointee.isNull() && !at.isNull() && ast_.hasSameUnqualifiedType(pointee, at);
  add(is_its_own ? fields_.named_at(address) : fields_.of_variable(*variable));
}

} // namespace

bool is_not_evaluated(const Stmt &statement) {
  if (const auto *question = dyn_cast<CXXTypeidExpr>(&statement))
    return !question->isPotentiallyEvaluated();
  return isa<UnaryExprOrTypeTraitExpr, CXXNoexceptExpr, ConstantExpr, TypeTraitExpr, RequiresExpr>(
      statement);
}

unsigned MarkBook::number_of(SourceLocation place, Parts parts, bool is_exact, QualType object) {
  const auto size = object->isIncompleteType() ? 0 : ast_.getTypeSizeInChars(object).getQuantity();
  table_.marks.push_back(
      {place_of(place), std::move(parts), is_exact, static_cast<std::uint64_t>(size)});
  return static_cast<unsigned>(table_.marks.size() - 1);
}

unsigned MarkBook::number_without_guard() {
  if (!without_guard_) {
    table_.marks.emplace_back();
    without_guard_ = static_cast<unsigned>(table_.marks.size() - 1);
  }
  return *without_guard_;
}

SourcePlace MarkBook::place_of(SourceLocation location) const {
  const SourceManager &sources = ast_.getSourceManager();
  const PresumedLoc place = sources.getPresumedLoc(sources.getExpansionLoc(location));
  return place.isValid() ? SourcePlace{place.getFilename(), place.getLine()} : SourcePlace{};
}

void MarkBook::note(SourceLocation place, const Parts &parts, const std::string &reason) {
  for (const WatchedPart &part : parts)
    table_.unproven.push_back({place_of(place), table_.fields[part.field].name(), reason});
}

std::optional<Parts> MarkBook::held_by(const VarDecl &variable) {
  const APValue *value = variable.evaluateValue();
  return value ? StaticValues(ast_, fields_).held_by(*value, variable.getType()) : std::nullopt;
}

void MarkBook::judge_constant(const VarDecl &variable) {
  const auto parts = held_by(variable);
  if (parts && parts->empty())
    table_.judged.push_back(symbol_of(variable));
}

// A variable that the initializer names is listed at that place, unless its type allows only reads.
// An address that the initializer computes is listed at the variable.
void MarkBook::note_addresses(const VarDecl &variable) {
  const auto known = static_cast<std::ptrdiff_t>(table_.unproven.size());
  note_addresses(variable.getInit());
  auto parts = held_by(variable);
  if (!parts)
    return;
  const auto is_about = [&](const Unproven &place, const WatchedPart &part) {
    return place.field == table_.fields[part.field].name();
  };
  const auto noted = std::remove_if(
      table_.unproven.begin() + known, table_.unproven.end(), [&](const Unproven &place) {
        return llvm::none_of(*parts,
                             [&](const WatchedPart &part) { return is_about(place, part); });
      });
  table_.unproven.erase(noted, table_.unproven.end());
  llvm::erase_if(*parts, [&](const WatchedPart &part) {
    return std::any_of(table_.unproven.begin() + known, table_.unproven.end(),
                       [&](const Unproven &place) { return is_about(place, part); });
  });
  note(variable.getLocation(), *parts, "address in static data");
  table_.judged.push_back(symbol_of(variable));
}

void MarkBook::note_addresses(const Stmt *constant) {
  if (const auto *value = dyn_cast_or_null<ConstantExpr>(constant))
    return note_addresses(value->getSubExpr());
  if (!constant || is_not_evaluated(*constant))
    return;
  if (const auto *member = dyn_cast<MemberExpr>(constant))
    if (const auto *field = dyn_cast<FieldDecl>(member->getMemberDecl()))
      note(member->getExprLoc(), fields_.changed_through(*field), "address in static data");
  if (const auto *name = dyn_cast<DeclRefExpr>(constant)) {
    note(name->getExprLoc(), fields_.named_by(*name), "address in static data");
    if (const auto *field = dyn_cast<FieldDecl>(name->getDecl()))
      note(name->getExprLoc(), fields_.changed_through(*field), "pointer to member");
  }
  const auto *cast = dyn_cast<CastExpr>(constant);
  if (cast && cast->getCastKind() == CK_LValueToRValue)
    return;
  if (const auto *lambda = dyn_cast<LambdaExpr>(constant)) {
    for (const Expr *captured : lambda->capture_inits())
      note_addresses(captured);
    return;
  }
  for (const Stmt *child : constant->children())
    note_addresses(child);
}

std::string MarkBook::symbol_of(const VarDecl &variable) const {
  const auto *function = dyn_cast<FunctionDecl>(variable.getDeclContext());
  const bool is_of_c = function && variable.isStaticLocal() && !ast_.getLangOpts().CPlusPlus;
  const std::string name = ASTNameGenerator(variable.getASTContext()).getName(&variable);
  return is_of_c ? ASTNameGenerator(variable.getASTContext()).getName(function) + "." + name : name;
}

void MarkBook::finish() {
  llvm::StringSet<> seen;
  for (const VarDecl *variable : variables_) {
    Parts parts = fields_.of_variable(*variable);
    if (parts.empty())
      continue;
    std::string symbol = symbol_of(*variable);
    if (seen.insert(symbol).second)
      table_.variables.push_back({std::move(symbol), std::move(parts)});
  }
}

} // namespace sartor::compiler
