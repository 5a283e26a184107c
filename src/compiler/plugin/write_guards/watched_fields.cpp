// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/plugin/write_guards/watched_fields.h"

#include <clang/AST/Attr.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/RecordLayout.h>

#include "compiler/plugin/clang_version.h"
#include "compiler/plugin/source_names.h"

namespace sartor::compiler {

using namespace clang;

namespace {

using Parts = WatchedFields::Parts;

void add(const Parts &inner, std::uint64_t offset, Parts &parts) {
  add_parts(inner, offset, /*are_beside=*/false, parts);
}

/// Returns the field through which an anonymous record is contained in another; null if it is in
/// none.
const FieldDecl *anonymous_field(const RecordDecl &record) {
  const auto *outer = dyn_cast<RecordDecl>(record.getDeclContext());
  if (!record.isAnonymousStructOrUnion() || !outer)
    return nullptr;
  for (const FieldDecl *field : outer->fields())
    if (field->isAnonymousStructOrUnion() && field->getType()->getAsRecordDecl() == &record)
      return field;
  return nullptr;
}

bool is_laid_out(const RecordDecl &record) {
  return record.isCompleteDefinition() && !record.isInvalidDecl() && !record.isDependentType();
}

} // namespace

WatchTable &WatchTable::of_this_file() {
  static WatchTable table;
  return table;
}

unsigned WatchTable::index_of(const WatchedField &field) {
  const auto found = llvm::find(fields, field);
  if (found != fields.end())
    return static_cast<unsigned>(found - fields.begin());
  fields.push_back(field);
  return static_cast<unsigned>(fields.size() - 1);
}

void add_parts(const Parts &more, std::uint64_t offset, bool are_beside, Parts &parts) {
  for (const WatchedPart &part : more) {
    const WatchedPart moved{part.field, part.offset + offset, are_beside, part.is_repeated};
    const auto known = llvm::find_if(parts, [&](const WatchedPart &other) {
      return other.field == moved.field && other.offset == moved.offset;
    });
    if (known == parts.end())
      parts.push_back(moved);
    else
      known->is_repeated |= moved.is_repeated;
  }
}

bool WatchedFields::is_watched(const Decl &declaration) {
  return llvm::any_of(declaration.specific_attrs<AnnotateAttr>(), [](const AnnotateAttr *attr) {
    return attr->getAnnotation() == kWatchedAnnotation;
  });
}

void WatchedFields::watch(VarDecl &variable) {
  // Removes the annotation: the LLVM half learns of the variable in another way, and LLVM would
  // keep the variable because of the annotation.
  if (variable.hasAttrs())
    llvm::erase_if(variable.getAttrs(), [](const Attr *attr) {
      const auto *annotation = dyn_cast<AnnotateAttr>(attr);
      return annotation && annotation->getAnnotation() == kWatchedAnnotation;
    });
  if (variable.getType()->isIncompleteType() || variables_.contains(variable.getCanonicalDecl()))
    return;
  const auto bytes =
      static_cast<std::uint64_t>(ast_.getTypeSizeInChars(variable.getType()).getQuantity());
  variables_[variable.getCanonicalDecl()] =
      table_.index_of({"", variable.getQualifiedNameAsString(), bytes, 0, bytes});
  add_type(variable.getType(), variables_[variable.getCanonicalDecl()]);
}

Parts WatchedFields::named_by(const Expr &expression) {
  const auto *name = dyn_cast<DeclRefExpr>(&expression);
  const auto *member = dyn_cast<MemberExpr>(&expression);
  const auto *variable = dyn_cast_or_null<VarDecl>(name     ? name->getDecl()
                                                   : member ? member->getMemberDecl()
                                                            : nullptr);
  return named(variable);
}

Parts WatchedFields::named(const VarDecl *variable) const {
  const auto found = variable ? variables_.find(variable->getCanonicalDecl()) : variables_.end();
  return found != variables_.end() ? Parts{{found->second, 0}} : Parts{};
}

void WatchedFields::add_type(QualType type, unsigned field) {
  const QualType element = ast_.getBaseElementType(type);
  add_parts({{field, 0}}, 0, /*are_beside=*/false,
            types_[ast_.getCanonicalType(element).getUnqualifiedType().getAsOpaquePtr()]);
}

Parts WatchedFields::of_type(QualType type) {
  const QualType element = ast_.getBaseElementType(type);
  Parts parts = types_.lookup(ast_.getCanonicalType(element).getUnqualifiedType().getAsOpaquePtr());
  add(within(type), 0, parts);
  return parts;
}

Parts WatchedFields::named_at(const APValue &address) {
  Parts parts;
  step_to(address, parts);
  return parts;
}

QualType WatchedFields::type_at(const APValue &address) {
  Parts parts;
  return step_to(address, parts);
}

const VarDecl *WatchedFields::variable_at(const APValue &address) {
  const auto *base =
      address.isLValue() ? address.getLValueBase().dyn_cast<const ValueDecl *>() : nullptr;
  return dyn_cast_or_null<VarDecl>(base);
}

Parts WatchedFields::of_variable(const VarDecl &variable) {
  const QualType type = variable.getType();
  if (!variable.hasGlobalStorage() || type->isReferenceType() ||
      ast_.getBaseElementType(type).isConstQualified())
    return {};
  Parts parts = named(&variable);
  add(within(type), 0, parts);
  return parts;
}

QualType WatchedFields::step_to(const APValue &address, Parts &parts) {
  const VarDecl *variable = variable_at(address);
  if (!variable || !address.hasLValuePath())
    return {};
  add(named(variable), 0, parts);
  QualType type = variable->getType();
  for (const APValue::LValuePathEntry &entry : address.getLValuePath()) {
    if (const ArrayType *array = ast_.getAsArrayType(type)) {
      type = array->getElementType();
      continue;
    }
    const Decl *inner = entry.getAsBaseOrMember().getPointer();
    if (const auto *field = dyn_cast_or_null<FieldDecl>(inner)) {
      add(changed_through(*field), 0, parts);
      type = field->getType();
    } else if (const auto *record = dyn_cast_or_null<CXXRecordDecl>(inner)) {
      type = type_of(*record, ast_);
    } else {
      return {}; // an element of a complex number or a vector
    }
  }
  return type;
}

std::uint64_t WatchedFields::offset_of(const FieldDecl &field) const {
  return ast_.getFieldOffset(&field) / ast_.getCharWidth();
}

Parts WatchedFields::within(QualType type) {
  const RecordDecl *record = ast_.getBaseElementType(type)->getAsRecordDecl();
  record = record ? record->getDefinition() : nullptr;
  if (!record || !is_laid_out(*record))
    return {};
  Parts parts = within(*record);
  if (type->isArrayType())
    for (WatchedPart &part : parts)
      part.is_repeated = true;
  return parts;
}

const Parts &WatchedFields::within(const RecordDecl &record) {
  if (const auto found = known_.find(&record); found != known_.end())
    return found->second;
  Parts parts;
  add_bases(record, parts);
  for (const FieldDecl *field : record.fields()) {
    if (is_watched(*field))
      add({part_of(*field)}, 0, parts);
    if (!field->isBitField())
      add(within(field->getType()), offset_of(*field), parts);
  }
  return known_.try_emplace(&record, std::move(parts)).first->second;
}

void WatchedFields::add_bases(const RecordDecl &record, Parts &parts) {
  const auto *derived = dyn_cast<CXXRecordDecl>(&record);
  if (!derived)
    return;
  const ASTRecordLayout &layout = ast_.getASTRecordLayout(derived);
  const auto add_base = [&](const CXXBaseSpecifier &base) {
    const auto *type = base.getType()->getAsCXXRecordDecl();
    const CharUnits offset =
        base.isVirtual() ? layout.getVBaseClassOffset(type) : layout.getBaseClassOffset(type);
    add(within(base.getType()), static_cast<std::uint64_t>(offset.getQuantity()), parts);
  };
  for (const CXXBaseSpecifier &base : derived->bases())
    if (!base.isVirtual())
      add_base(base);
  for (const CXXBaseSpecifier &base : derived->vbases())
    add_base(base);
}

Parts WatchedFields::changed_through(const FieldDecl &field) {
  Parts parts;
  if (is_watched(field))
    parts.push_back(part_of(field));
  if (field.getParent()->isUnion())
    add(within(*field.getParent()), 0, parts);
  if (field.isBitField())
    add_bit_fields_beside(field, parts);
  return parts;
}

// Adds all bit-fields of the run: only code generation decides how many of them a store reads and
// writes back.
void WatchedFields::add_bit_fields_beside(const FieldDecl &field, Parts &parts) {
  Parts run;
  bool is_ours = false;
  for (const FieldDecl *other : field.getParent()->fields()) {
    if (!other->isBitField() || ends_bit_fields(*other, ast_)) {
      if (is_ours)
        break;
      run.clear();
      continue;
    }
    is_ours |= other == &field;
    if (is_watched(*other))
      run.push_back(part_of(*other));
  }
  add(run, 0, parts);
}

WatchedPart WatchedFields::part_of(const FieldDecl &field) {
  const unsigned index = table_.index_of(described(field));
  add_type(field.getType(), index);
  return {index, offset_of(field)};
}

WatchedField WatchedFields::described(const FieldDecl &field) const {
  const std::uint64_t bits = ast_.getCharWidth();
  std::uint64_t begin = ast_.getFieldOffset(&field);
  const std::uint64_t width = field.isBitField()
                                  ? width_of_bit_field(field, ast_)
                                  : static_cast<std::uint64_t>(ast_.getTypeSize(field.getType()));
  const std::uint64_t bytes = (begin % bits + width + bits - 1) / bits;
  const RecordDecl *record = field.getParent();
  while (const FieldDecl *outer = anonymous_field(*record)) {
    begin += ast_.getFieldOffset(outer);
    record = outer->getParent();
  }
  const auto size = ast_.getASTRecordLayout(record).getSize().getQuantity();
  return {source_name(*record, ast_), field.getNameAsString(), static_cast<std::uint64_t>(size),
          begin / bits, bytes};
}

} // namespace sartor::compiler
