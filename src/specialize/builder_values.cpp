// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <utility>

#include <llvm/IR/Constants.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include "point/fit.h"
#include "point/scalar.h"
#include "specialize/builder.h"

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

// As C compares: with something that is not a number, only "not equal" holds.
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

std::optional<Value> Builder::argument_value(unsigned index) const {
  if (index >= impl_->arguments.size())
    fail("its generator asks for argument " + std::to_string(index) + " of " +
         std::to_string(impl_->arguments.size()));
  const llvm::Constant *known = nullptr;
  for (const llvm::Use &use : impl_->wrapper.uses()) {
    const auto *call = llvm::dyn_cast<llvm::CallBase>(use.getUser());
    if (!call || !call->isCallee(&use))
      return std::nullopt;
    const auto *constant = llvm::dyn_cast<llvm::Constant>(call->getArgOperand(index));
    if (!constant || (known && known != constant))
      return std::nullopt;
    known = constant;
  }
  return known ? point::to_value(*known, impl_->arguments[index]) : std::nullopt;
}

Builder::Operand Builder::argument(unsigned index) {
  if (index >= impl_->arguments.size())
    fail("its generator asks for argument " + std::to_string(index) + " of " +
         std::to_string(impl_->arguments.size()));
  return impl_->operand(impl_->wrapper.getArg(index), impl_->arguments[index]);
}

Builder::Operand Builder::constant(const PointType &type, const Value &value) {
  llvm::Type *made = impl_->type_of(type);
  if (made->isFloatingPointTy() && value.is_floating()) // any, even what is not a number
    return impl_->operand(llvm::ConstantFP::get(made, value.floating()), type);
  auto fitted = fit(value, type);
  if (!fitted) {
    fitted.error().subject = label();
    fitted.error().code = ErrorCode::bad_generator;
    impl_->fail(std::move(fitted.error()));
  }
  if (made->isFloatingPointTy())
    return impl_->operand(llvm::ConstantFP::get(made, fitted->floating()), type);
  if (fitted->is_symbol())
    return impl_->operand(impl_->symbol(fitted->symbol(), nullptr), type);
  if (made->isPointerTy())
    return impl_->operand(llvm::ConstantExpr::getIntToPtr(impl_->ir.getInt64(fitted->bits()), made),
                          type);
  const llvm::APInt bits(64, fitted->bits());
  return impl_->operand(llvm::ConstantInt::get(made, bits.trunc(made->getIntegerBitWidth())), type);
}

Builder::Operand Builder::address(const volatile void *memory) {
  return constant(types::pointer, Value(reinterpret_cast<std::uintptr_t>(memory)));
}

Builder::Operand Builder::add(Operand a, Operand b) {
  return impl_->binary(Instruction::Add, Instruction::FAdd, a, b);
}
Builder::Operand Builder::subtract(Operand a, Operand b) {
  return impl_->binary(Instruction::Sub, Instruction::FSub, a, b);
}
Builder::Operand Builder::multiply(Operand a, Operand b) {
  return impl_->binary(Instruction::Mul, Instruction::FMul, a, b);
}
Builder::Operand Builder::and_(Operand a, Operand b) {
  return impl_->binary(Instruction::And, Instruction::BinaryOpsEnd, a, b);
}
Builder::Operand Builder::or_(Operand a, Operand b) {
  return impl_->binary(Instruction::Or, Instruction::BinaryOpsEnd, a, b);
}
Builder::Operand Builder::xor_(Operand a, Operand b) {
  return impl_->binary(Instruction::Xor, Instruction::BinaryOpsEnd, a, b);
}
Builder::Operand Builder::shift_left(Operand a, Operand count) {
  return impl_->shift(Instruction::Shl, a, count);
}
Builder::Operand Builder::shift_right_logical(Operand a, Operand count) {
  return impl_->shift(Instruction::LShr, a, count);
}
Builder::Operand Builder::shift_right_arithmetic(Operand a, Operand count) {
  return impl_->shift(Instruction::AShr, a, count);
}

Builder::Operand Builder::Impl::convert(Operand a, const PointType &type,
                                        Instruction::CastOps cast) {
  llvm::Value *value = integer_of(a);
  llvm::Type *to = type_of(type);
  const unsigned from_bits = value->getType()->getIntegerBitWidth();
  const unsigned to_bits = to->isIntegerTy() ? to->getIntegerBitWidth() : 0;
  if (to_bits == 0 || (cast == Instruction::Trunc ? to_bits > from_bits : to_bits < from_bits))
    fail("its generator brings " + a.type().text() + " to " + type.text(),
         "extend to more bits and truncate to fewer");
  return operand(from_bits == to_bits ? value : open().CreateCast(cast, value, to), type);
}

Builder::Operand Builder::zero_extend(Operand a, const PointType &type) {
  return impl_->convert(a, type, Instruction::ZExt);
}
Builder::Operand Builder::sign_extend(Operand a, const PointType &type) {
  return impl_->convert(a, type, Instruction::SExt);
}
Builder::Operand Builder::truncate(Operand a, const PointType &type) {
  return impl_->convert(a, type, Instruction::Trunc);
}

Builder::Operand Builder::as(Operand a, const PointType &type) {
  llvm::Value *value = impl_->value_of(a);
  llvm::Type *to = impl_->type_of(type);
  if (value->getType() == to)
    return impl_->operand(value, type);
  if (value->getType()->isPointerTy() && to->isIntegerTy(64))
    return impl_->operand(impl_->open().CreatePtrToInt(value, to), type);
  if (value->getType()->isIntegerTy(64) && to->isPointerTy())
    return impl_->operand(impl_->open().CreateIntToPtr(value, to), type);
  impl_->fail("its generator takes " + a.type().text() + " as " + type.text(),
              "extend or truncate it first");
}

Builder::Operand Builder::compare(Predicate predicate, Operand a, Operand b) {
  impl_->same_type(a, b);
  llvm::Type *type = impl_->value_of(a)->getType();
  auto chosen = integer_predicate(predicate);
  if (type->isFloatingPointTy())
    chosen = floating_predicate(predicate);
  if (!type->isIntegerTy() && predicate >= Predicate::signed_less)
    impl_->fail("its generator compares " + a.type().text() + " as signed integers",
                "use the predicate without a sign");
  return impl_->operand(impl_->open().CreateCmp(chosen, impl_->value_of(a), impl_->value_of(b)),
                        types::boolean);
}

Builder::Operand Builder::select(Operand condition, Operand then, Operand otherwise) {
  impl_->same_type(then, otherwise);
  return impl_->operand(impl_->open().CreateSelect(impl_->condition_of(condition),
                                                   impl_->value_of(then),
                                                   impl_->value_of(otherwise)),
                        then.type());
}

Builder::Operand Builder::hide(Operand a) {
  llvm::Type *type = impl_->value_of(a)->getType();
  if (!type->isPointerTy() && (!type->isIntegerTy() || type->isIntegerTy(1)))
    impl_->fail("its generator hides " + a.type().text(), "hide an integer or a pointer");
  // No instruction, but one text each: the same ones in two branches would be made one before both.
  auto *nothing = llvm::InlineAsm::get(llvm::FunctionType::get(type, {type}, /*isVarArg=*/false),
                                       "# hidden " + std::to_string(++impl_->hidden), "=r,0",
                                       /*hasSideEffects=*/false);
  return impl_->operand(impl_->open().CreateCall(nothing, {impl_->value_of(a)}), a.type());
}

Builder::Variable Builder::variable(Operand initial) {
  llvm::Value *value = impl_->value_of(initial);
  llvm::BasicBlock &entry = impl_->wrapper.getEntryBlock();
  llvm::IRBuilder<> at_entry(&entry, entry.begin());
  at_entry.SetCurrentDebugLocation(impl_->ir.getCurrentDebugLocation());
  Variable made;
  made.place_ = impl_->operand(at_entry.CreateAlloca(value->getType()), types::pointer);
  made.type_ = initial.type();
  impl_->open().CreateStore(value, impl_->value_of(made.place_));
  return made;
}

Builder::Operand Builder::get(Variable variable) {
  auto *place = llvm::cast<llvm::AllocaInst>(impl_->value_of(variable.place_));
  return impl_->operand(impl_->open().CreateLoad(place->getAllocatedType(), place), variable.type_);
}

void Builder::set(Variable variable, Operand value) {
  auto *place = llvm::cast<llvm::AllocaInst>(impl_->value_of(variable.place_));
  if (impl_->value_of(value)->getType() != place->getAllocatedType())
    impl_->fail("its generator sets a variable of type " + variable.type_.text() + " to " +
                    value.type().text(),
                "bring the value to the variable's type first");
  impl_->open().CreateStore(impl_->value_of(value), place);
}

Builder::Operand Builder::table(const PointType &type, const void *values, std::size_t count) {
  if (count == 0)
    impl_->fail("its generator makes a table without values", "give it one at least");
  llvm::Type *element = impl_->memory_type_of(type);
  if (element->isPointerTy())
    element = impl_->ir.getInt64Ty();
  const std::size_t bytes = element->getPrimitiveSizeInBits().getFixedValue() / 8;
  llvm::Constant *data = llvm::ConstantDataArray::getRaw(
      llvm::StringRef(static_cast<const char *>(values), count * bytes), count, element);
  auto *global = new llvm::GlobalVariable(*impl_->wrapper.getParent(), data->getType(),
                                          /*isConstant=*/true, llvm::GlobalValue::PrivateLinkage,
                                          data, "sartor.table");
  global->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
  global->setAlignment(llvm::Align(bytes));
  return impl_->operand(global, types::pointer);
}

Builder::Operand Builder::load(const PointType &type, Operand base, Operand index) {
  llvm::Value *pointer = impl_->pointer_of(base);
  llvm::Type *in_memory = impl_->memory_type_of(type);
  llvm::IRBuilder<> &ir = impl_->open();
  llvm::Value *place = ir.CreateGEP(in_memory, pointer, impl_->index_of(index));
  llvm::Value *value = ir.CreateAlignedLoad(in_memory, place, llvm::Align(1));
  if (type.kind == PointType::Class::boolean)
    value = ir.CreateIsNotNull(value);
  return impl_->operand(value, type);
}

Builder::Operand Builder::offset(Operand pointer, Operand bytes) {
  llvm::Value *base = impl_->pointer_of(pointer);
  return impl_->operand(impl_->open().CreatePtrAdd(base, impl_->index_of(bytes)), types::pointer);
}

} // namespace sartor
