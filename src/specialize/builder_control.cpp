// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>

#include <sartor/builder_llvm.hpp>
#include <sartor/invariant.hpp>

#include "point/fit.h"
#include "specialize/builder.h"
#include "specialize/c_source.h"

namespace sartor {

llvm::BasicBlock *Builder::Impl::block_of(Block block) {
  if (!block.block_ || block.owner_ != id)
    fail("its generator uses a block that this builder has not given", "make it with block()");
  return static_cast<llvm::BasicBlock *>(block.block_);
}

Builder::Block Builder::block() {
  Block made;
  made.block_ = llvm::BasicBlock::Create(impl_->wrapper.getContext(), "", &impl_->wrapper);
  made.owner_ = impl_->id;
  return made;
}

void Builder::enter(Block block) {
  llvm::BasicBlock *entered = impl_->block_of(block);
  if (!impl_->ir.GetInsertBlock()->getTerminator())
    impl_->fail("its generator leaves a block without an end",
                "end it with result(), jump(), branch() or switch_on()");
  if (!entered->empty())
    impl_->fail("its generator enters a block twice", "make a block for each piece of code");
  impl_->ir.SetInsertPoint(entered);
}

void Builder::jump(Block target) {
  llvm::BasicBlock *to = impl_->block_of(target);
  impl_->open().CreateBr(to);
}

void Builder::branch(Operand condition, Block then, Block otherwise) {
  llvm::Value *value = impl_->condition_of(condition);
  llvm::BasicBlock *to = impl_->block_of(then);
  llvm::BasicBlock *or_to = impl_->block_of(otherwise);
  impl_->open().CreateCondBr(value, to, or_to);
}

void Builder::switch_on(Operand value, const std::vector<Case> &cases, Block otherwise) {
  llvm::Value *on = impl_->integer_of(value);
  llvm::BasicBlock *or_to = impl_->block_of(otherwise);
  auto *made = impl_->open().CreateSwitch(on, or_to, static_cast<unsigned>(cases.size()));
  for (const Case &each : cases) {
    // An argument's type does not always tell its sign.
    PointType type = value.type();
    type.is_signed = each.value < Value(0);
    made->addCase(llvm::cast<llvm::ConstantInt>(impl_->value_of(constant(type, each.value))),
                  impl_->block_of(each.block));
  }
}

void Builder::result(Operand value) {
  llvm::Value *given = impl_->value_of(value);
  if (given->getType() != impl_->wrapper.getReturnType())
    impl_->fail("its generator gives a result of type " + value.type().text() +
                    ", the point's is " + impl_->result.text(),
                "bring the result to the point's type first");
  impl_->open().CreateRet(given);
}

Builder::Operand Builder::generic() {
  llvm::IRBuilder<> &ir = impl_->open();
  llvm::Instruction *call = ir.Insert(impl_->generic_call->clone());
  return impl_->operand(call, impl_->result);
}

llvm::FunctionType *Builder::Impl::signature(const std::optional<PointType> &returned,
                                             const std::vector<Operand> &given) {
  llvm::SmallVector<llvm::Type *, 8> parameters;
  for (const Operand &each : given)
    parameters.push_back(value_of(each)->getType());
  return llvm::FunctionType::get(returned ? type_of(*returned) : ir.getVoidTy(), parameters,
                                 /*isVarArg=*/false);
}

Builder::Operand Builder::Impl::call(llvm::FunctionCallee function,
                                     const std::optional<PointType> &returned,
                                     const std::vector<Operand> &given) {
  llvm::SmallVector<llvm::Value *, 8> values;
  for (const Operand &each : given)
    values.push_back(value_of(each));
  llvm::CallInst *made = open().CreateCall(function, values);
  // C code relies on its caller to widen what is smaller than an int.
  const auto widened = [](const PointType &type) {
    return type.kind == PointType::Class::integer && type.is_signed ? llvm::Attribute::SExt
                                                                    : llvm::Attribute::ZExt;
  };
  const auto is_small = [](const llvm::Type *type) {
    return type->isIntegerTy() && type->getIntegerBitWidth() < 32;
  };
  for (unsigned i = 0; i < given.size(); ++i)
    if (is_small(values[i]->getType()))
      made->addParamAttr(i, widened(given[i].type()));
  if (!returned)
    return {};
  if (is_small(made->getType()))
    made->addRetAttr(widened(*returned));
  return operand(made, *returned);
}

Builder::Operand Builder::call(const std::string &symbol, const std::optional<PointType> &result,
                               const std::vector<Operand> &arguments) {
  llvm::FunctionType *type = impl_->signature(result, arguments);
  return impl_->call({type, impl_->symbol(symbol, type)}, result, arguments);
}

Builder::Operand Builder::call(Operand function, const std::optional<PointType> &result,
                               const std::vector<Operand> &arguments) {
  return impl_->call({impl_->signature(result, arguments), impl_->pointer_of(function)}, result,
                     arguments);
}

void Builder::depends_on(const Invariant &invariant) {
  if (!invariant.holds())
    impl_->fail("its generator depends on an invariant that does not hold",
                "promise the memory again before the point is set");
  impl_->promises.push_back(invariant.number());
}

Builder::Operand Builder::source(const CSource &source) {
  auto compiled = specialize::link_c_source(impl_->wrapper, source, label());
  if (!compiled)
    impl_->fail(std::move(compiled.error()));
  llvm::SmallVector<llvm::Value *, 8> arguments;
  for (llvm::Argument &argument : impl_->wrapper.args())
    arguments.push_back(&argument);
  return impl_->operand(impl_->open().CreateCall(*compiled, arguments), impl_->result);
}

LlvmBuilder llvm_builder(Builder &builder) {
  auto &impl = Builder::Impl::of(builder);
  return {impl.wrapper, *impl.generic_call->getCalledFunction(), impl.ir};
}

llvm::Value *llvm_value(Builder &builder, Builder::Operand operand) {
  return Builder::Impl::of(builder).value_of(operand);
}

Builder::Operand operand_of(Builder &builder, llvm::Value *value, const PointType &type) {
  auto &impl = Builder::Impl::of(builder);
  if (value->getType() != impl.type_of(type))
    impl.fail("its generator takes a value of LLVM's as " + type.text(), "name the type it has");
  return impl.operand(value, type);
}

} // namespace sartor
