// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <utility>

#include <llvm/IR/Constants.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include "compiler/frontend/scalar.h"
#include "compiler/specialize/builder.h"
#include "core/space/fit.h"

namespace sartor {

using llvm::Instruction;

namespace {

llvm::CmpInst::Predicate integer_predicate(Builder::Predicate predicate) {
  switch (predicate) {
  case Builder::Predicate::equal:
    return llvm::CmpInst::ICMP_EQ;
  case Builder::Predicate::not_equal:
    return llvm::CmpInst::ICMP_NE;
  case Builder::Predicate::less:
    return llvm::CmpInst::ICMP_ULT;
  case Builder::Predicate::less_or_equal:
    return llvm::CmpInst::ICMP_ULE;
  case Builder::Predicate::greater:
    return llvm::CmpInst::ICMP_UGT;
  case Builder::Predicate::greater_or_equal:
    return llvm::CmpInst::ICMP_UGE;
  case Builder::Predicate::signed_less:
    return llvm::CmpInst::ICMP_SLT;
  case Builder::Predicate::signed_less_or_equal:
    return llvm::CmpInst::ICMP_SLE;
  case Builder::Predicate::signed_greater:
    return llvm::CmpInst::ICMP_SGT;
  case Builder::Predicate::signed_greater_or_equal:
    return llvm::CmpInst::ICMP_SGE;
  }
  std::unreachable();
}

// Comparisons have C semantics: for a NaN, only "not equal" is true.
llvm::CmpInst::Predicate floating_predicate(Builder::Predicate predicate) {
  switch (predicate) {
  case Builder::Predicate::equal:
    return llvm::CmpInst::FCMP_OEQ;
  case Builder::Predicate::not_equal:
    return llvm::CmpInst::FCMP_UNE;
  case Builder::Predicate::less:
    return llvm::CmpInst::FCMP_OLT;
  case Builder::Predicate::less_or_equal:
    return llvm::CmpInst::FCMP_OLE;
  case Builder::Predicate::greater:
    return llvm::CmpInst::FCMP_OGT;
  case Builder::Predicate::greater_or_equal:
    return llvm::CmpInst::FCMP_OGE;
  default:
    return llvm::CmpInst::BAD_FCMP_PREDICATE;
  }
}

} // namespace

std::optional<Value> LlvmBack::argument_value(unsigned index) {
  if (index >= arguments.size())
    fail("its generator asks for argument " + std::to_string(index) + " of " +
         std::to_string(arguments.size()));
  const llvm::Constant *known = nullptr;
  for (const llvm::Use &use : wrapper.uses()) {
    const auto *call = llvm::dyn_cast<llvm::CallBase>(use.getUser());
    if (!call || !call->isCallee(&use))
      return std::nullopt;
    const auto *constant = llvm::dyn_cast<llvm::Constant>(call->getArgOperand(index));
    if (!constant || (known && known != constant))
      return std::nullopt;
    known = constant;
  }
  return known ? compiler::to_value(*known, arguments[index]) : std::nullopt;
}

Builder::Operand LlvmBack::argument(unsigned index) {
  if (index >= arguments.size())
    fail("its generator asks for argument " + std::to_string(index) + " of " +
         std::to_string(arguments.size()));
  return operand(wrapper.getArg(index), arguments[index]);
}

Builder::Operand LlvmBack::constant(const PointType &type, const Value &value) {
  llvm::Type *made = type_of(type);
  if (made->isFloatingPointTy() && value.is_floating()) // any value, including NaNs
    return operand(llvm::ConstantFP::get(made, value.floating()), type);
  auto fitted = fit(value, type);
  if (!fitted) {
    fitted.error().subject = label();
    fitted.error().code = ErrorCode::bad_generator;
    fail(std::move(fitted.error()));
  }
  if (made->isFloatingPointTy())
    return operand(llvm::ConstantFP::get(made, fitted->floating()), type);
  if (fitted->is_symbol())
    return operand(symbol(fitted->symbol(), nullptr), type);
  if (made->isPointerTy())
    return operand(llvm::ConstantExpr::getIntToPtr(ir.getInt64(fitted->bits()), made), type);
  const llvm::APInt bits(64, fitted->bits());
  return operand(llvm::ConstantInt::get(made, bits.trunc(made->getIntegerBitWidth())), type);
}

Builder::Operand LlvmBack::add(Operand a, Operand b) {
  return binary(Instruction::Add, Instruction::FAdd, a, b);
}
Builder::Operand LlvmBack::subtract(Operand a, Operand b) {
  return binary(Instruction::Sub, Instruction::FSub, a, b);
}
Builder::Operand LlvmBack::multiply(Operand a, Operand b) {
  return binary(Instruction::Mul, Instruction::FMul, a, b);
}
Builder::Operand LlvmBack::and_(Operand a, Operand b) {
  return binary(Instruction::And, Instruction::BinaryOpsEnd, a, b);
}
Builder::Operand LlvmBack::or_(Operand a, Operand b) {
  return binary(Instruction::Or, Instruction::BinaryOpsEnd, a, b);
}
Builder::Operand LlvmBack::xor_(Operand a, Operand b) {
  return binary(Instruction::Xor, Instruction::BinaryOpsEnd, a, b);
}
Builder::Operand LlvmBack::shift_left(Operand a, Operand count) {
  return shift(Instruction::Shl, a, count);
}
Builder::Operand LlvmBack::shift_right_logical(Operand a, Operand count) {
  return shift(Instruction::LShr, a, count);
}
Builder::Operand LlvmBack::shift_right_arithmetic(Operand a, Operand count) {
  return shift(Instruction::AShr, a, count);
}

Builder::Operand LlvmBack::convert(Operand a, const PointType &type, Instruction::CastOps cast) {
  llvm::Value *value = integer_of(a);
  llvm::Type *to = type_of(type);
  const unsigned from_bits = value->getType()->getIntegerBitWidth();
  const unsigned to_bits = to->isIntegerTy() ? to->getIntegerBitWidth() : 0;
  if (to_bits == 0 || (cast == Instruction::Trunc ? to_bits > from_bits : to_bits < from_bits))
    fail("its generator brings " + a.type().text() + " to " + type.text(),
         "extend to more bits and truncate to fewer");
  return operand(from_bits == to_bits ? value : open().CreateCast(cast, value, to), type);
}

Builder::Operand LlvmBack::zero_extend(Operand a, const PointType &type) {
  return convert(a, type, Instruction::ZExt);
}
Builder::Operand LlvmBack::sign_extend(Operand a, const PointType &type) {
  return convert(a, type, Instruction::SExt);
}
Builder::Operand LlvmBack::truncate(Operand a, const PointType &type) {
  return convert(a, type, Instruction::Trunc);
}

Builder::Operand LlvmBack::as(Operand a, const PointType &type) {
  llvm::Value *value = value_of(a);
  llvm::Type *to = type_of(type);
  if (value->getType() == to)
    return operand(value, type);
  if (value->getType()->isPointerTy() && to->isIntegerTy(64))
    return operand(open().CreatePtrToInt(value, to), type);
  if (value->getType()->isIntegerTy(64) && to->isPointerTy())
    return operand(open().CreateIntToPtr(value, to), type);
  fail("its generator takes " + a.type().text() + " as " + type.text(),
       "extend or truncate it first");
}

Builder::Operand LlvmBack::compare(Predicate predicate, Operand a, Operand b) {
  same_type(a, b);
  llvm::Type *type = value_of(a)->getType();
  auto chosen = integer_predicate(predicate);
  if (type->isFloatingPointTy())
    chosen = floating_predicate(predicate);
  if (!type->isIntegerTy() && predicate >= Predicate::signed_less)
    fail("its generator compares " + a.type().text() + " as signed integers",
         "use the predicate without a sign");
  return operand(open().CreateCmp(chosen, value_of(a), value_of(b)), types::boolean);
}

Builder::Operand LlvmBack::select(Operand condition, Operand then, Operand otherwise) {
  same_type(then, otherwise);
  return operand(open().CreateSelect(condition_of(condition), value_of(then), value_of(otherwise)),
                 then.type());
}

Builder::Operand LlvmBack::hide(Operand a) {
  llvm::Type *type = value_of(a)->getType();
  if (!type->isPointerTy() && (!type->isIntegerTy() || type->isIntegerTy(1)))
    fail("its generator hides " + a.type().text(), "hide an integer or a pointer");
  // The assembly has no instruction but a unique text each time: passes would merge equal ones of
  // two branches and hoist them.
  auto *nothing = llvm::InlineAsm::get(llvm::FunctionType::get(type, {type}, /*isVarArg=*/false),
                                       "# hidden " + std::to_string(++hidden), "=r,0",
                                       /*hasSideEffects=*/false);
  return operand(open().CreateCall(nothing, {value_of(a)}), a.type());
}

Builder::Variable LlvmBack::variable(Operand initial) {
  llvm::Value *value = value_of(initial);
  llvm::BasicBlock &entry = wrapper.getEntryBlock();
  llvm::IRBuilder<> at_entry(&entry, entry.begin());
  at_entry.SetCurrentDebugLocation(ir.getCurrentDebugLocation());
  const Operand place = operand(at_entry.CreateAlloca(value->getType()), types::pointer);
  open().CreateStore(value, value_of(place));
  return make_variable(place, initial.type());
}

Builder::Operand LlvmBack::get(Variable variable) {
  auto *place = llvm::cast<llvm::AllocaInst>(value_of(place_of(variable)));
  return operand(open().CreateLoad(place->getAllocatedType(), place), type_in(variable));
}

void LlvmBack::set(Variable variable, Operand value) {
  auto *place = llvm::cast<llvm::AllocaInst>(value_of(place_of(variable)));
  if (value_of(value)->getType() != place->getAllocatedType())
    fail("its generator sets a variable of type " + type_in(variable).text() + " to " +
             value.type().text(),
         "bring the value to the variable's type first");
  open().CreateStore(value_of(value), place);
}

Builder::Operand LlvmBack::table(const PointType &type, const void *values, std::size_t count) {
  if (count == 0)
    fail("its generator makes a table without values", "give it one at least");
  llvm::Type *element = memory_type_of(type);
  if (element->isPointerTy())
    element = ir.getInt64Ty();
  const std::size_t bytes = element->getPrimitiveSizeInBits().getFixedValue() / 8;
  llvm::Constant *data = llvm::ConstantDataArray::getRaw(
      llvm::StringRef(static_cast<const char *>(values), count * bytes), count, element);
  auto *global = new llvm::GlobalVariable(*wrapper.getParent(), data->getType(),
                                          /*isConstant=*/true, llvm::GlobalValue::PrivateLinkage,
                                          data, "sartor.table");
  global->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
  global->setAlignment(llvm::Align(bytes));
  return operand(global, types::pointer);
}

Builder::Operand LlvmBack::load(const PointType &type, Operand base, Operand index) {
  llvm::Value *pointer = pointer_of(base);
  llvm::Type *in_memory = memory_type_of(type);
  open();
  llvm::Value *place = ir.CreateGEP(in_memory, pointer, index_of(index));
  llvm::Value *value = ir.CreateAlignedLoad(in_memory, place, llvm::Align(1));
  if (type.kind == PointType::Class::boolean)
    value = ir.CreateIsNotNull(value);
  return operand(value, type);
}

Builder::Operand LlvmBack::offset(Operand pointer, Operand bytes) {
  llvm::Value *base = pointer_of(pointer);
  return operand(open().CreatePtrAdd(base, index_of(bytes)), types::pointer);
}

} // namespace sartor
