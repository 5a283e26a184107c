// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "static_values.h"

#include <clang/AST/DeclCXX.h>
#include <clang/AST/ExprCXX.h>

namespace sartor::compiler {

using namespace clang;

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

} // namespace sartor::compiler
