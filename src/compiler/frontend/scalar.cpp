// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/scalar.h"

#include <llvm/ADT/APInt.h>
#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/GlobalValue.h>
#include <llvm/IR/Operator.h>

#include "core/space/place.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

// Returns the object and offset of a constant address; nothing for an address that is a number.
std::optional<sartor::Value> place_of(const Constant &constant) {
  if (constant.isNullValue())
    return std::uint64_t{0};
  const auto *object = &constant;
  while (const auto *step = dyn_cast<GEPOperator>(object))
    object = cast<Constant>(step->getPointerOperand());
  object = object->stripPointerCasts();
  if (const auto *global = dyn_cast<GlobalValue>(object)) {
    const DataLayout &layout = global->getDataLayout();
    APInt offset(layout.getIndexTypeSizeInBits(constant.getType()), 0);
    if (constant.stripAndAccumulateConstantOffsets(layout, offset, /*AllowNonInbounds=*/true) !=
        global)
      return std::nullopt;
    return core::text_of(core::Place{global->getName().str(), offset.getSExtValue()});
  }
  const auto *cast = dyn_cast<ConstantExpr>(object);
  if (object == &constant && cast && cast->getOpcode() == Instruction::IntToPtr)
    if (const auto *number = dyn_cast<ConstantInt>(cast->getOperand(0)))
      return number->getZExtValue();
  return std::nullopt;
}

} // namespace

bool is_scalar(const Type &type) {
  return type.isIntegerTy() || type.isFloatTy() || type.isDoubleTy() || type.isPointerTy();
}

bool fits_word(const Type &type) {
  return is_scalar(type) && (!type.isIntegerTy() || type.getIntegerBitWidth() <= 64);
}

PointType scalar_type(const Type &type, const DataLayout &layout, bool is_signed, bool is_bool) {
  PointType result;
  result.bits =
      static_cast<unsigned>(layout.getTypeSizeInBits(const_cast<Type *>(&type)).getFixedValue());
  if (type.isPointerTy())
    result.kind = PointType::Class::pointer;
  else if (type.isFloatingPointTy())
    result.kind = PointType::Class::floating;
  else if (is_bool || result.bits == 1)
    result.kind = PointType::Class::boolean;
  result.is_signed = result.kind == PointType::Class::integer && is_signed;
  return result;
}

std::optional<sartor::Value> to_value(const Constant &constant, const PointType &type) {
  if (const auto *integer = dyn_cast<ConstantInt>(&constant)) {
    if (integer->getBitWidth() > 64)
      return std::nullopt;
    if (type.is_signed)
      return integer->getSExtValue();
    return integer->getZExtValue();
  }
  if (const auto *floating = dyn_cast<ConstantFP>(&constant)) {
    APFloat value = floating->getValueAPF();
    bool inexact = false;
    value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &inexact);
    return value.convertToDouble();
  }
  return constant.getType()->isPointerTy() ? place_of(constant) : std::nullopt;
}

Constant *to_constant(const sartor::Value &value, Type &type) {
  LLVMContext &context = type.getContext();
  if (type.isFloatingPointTy())
    return ConstantFP::get(&type, value.is_floating() ? value.floating()
                                                      : static_cast<double>(value.integer()));
  if (type.isPointerTy())
    return ConstantExpr::getIntToPtr(ConstantInt::get(Type::getInt64Ty(context), value.bits()),
                                     &type);
  return ConstantInt::get(context, APInt(64, value.bits()).sextOrTrunc(type.getIntegerBitWidth()));
}

Constant *to_constant(StringRef bytes, Type &type, const DataLayout &layout) {
  const auto bits = static_cast<unsigned>(layout.getTypeSizeInBits(&type).getFixedValue());
  APInt number(std::max(bits, 8U), 0);
  for (unsigned i = 0; i < bytes.size() && 8 * i < number.getBitWidth(); ++i)
    number |= APInt(number.getBitWidth(), static_cast<unsigned char>(bytes[i])) << 8 * i;
  auto *word = ConstantInt::get(type.getContext(), number.zextOrTrunc(bits));
  if (type.isPointerTy())
    return ConstantExpr::getIntToPtr(word, &type);
  return ConstantFoldCastOperand(Instruction::BitCast, word, &type, layout);
}

} // namespace sartor::compiler
