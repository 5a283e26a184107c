// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>

#include <sartor/invariant.hpp>

#include "compiler/specialize/builder.h"
#include "compiler/specialize/c_source.h"
#include "core/space/fit.h"

namespace sartor {

llvm::BasicBlock *LlvmBack::block_of(Block block) {
  void *made = block_in(block, id);
  if (!made)
    fail("its generator uses a block that this builder has not given", "make it with block()");
  return static_cast<llvm::BasicBlock *>(made);
}

Builder::Block LlvmBack::block() {
  return make_block(llvm::BasicBlock::Create(wrapper.getContext(), "", &wrapper), id);
}

void LlvmBack::enter(Block block) {
  llvm::BasicBlock *entered = block_of(block);
  if (!ir.GetInsertBlock()->getTerminator())
    fail("its generator leaves a block without an end",
         "end it with result(), jump(), branch() or switch_on()");
  if (!entered->empty())
    fail("its generator enters a block twice", "make a block for each piece of code");
  ir.SetInsertPoint(entered);
}

void LlvmBack::jump(Block target) {
  llvm::BasicBlock *to = block_of(target);
  open().CreateBr(to);
}

void LlvmBack::branch(Operand condition, Block then, Block otherwise) {
  llvm::Value *value = condition_of(condition);
  llvm::BasicBlock *to = block_of(then);
  llvm::BasicBlock *or_to = block_of(otherwise);
  open().CreateCondBr(value, to, or_to);
}

void LlvmBack::switch_on(Operand value, const std::vector<Case> &cases, Block otherwise) {
  llvm::Value *on = integer_of(value);
  llvm::BasicBlock *or_to = block_of(otherwise);
  auto *made = open().CreateSwitch(on, or_to, static_cast<unsigned>(cases.size()));
  for (const Case &each : cases) {
    // An argument's type may lack its signedness.
    PointType type = value.type();
    type.is_signed = each.value < Value(0);
    made->addCase(llvm::cast<llvm::ConstantInt>(value_of(constant(type, each.value))),
                  block_of(each.block));
  }
}

void LlvmBack::result(Operand value) {
  llvm::Value *given = value_of(value);
  if (given->getType() != wrapper.getReturnType())
    fail("its generator gives a result of type " + value.type().text() + ", the point's is " +
             result_is.text(),
         "bring the result to the point's type first");
  open().CreateRet(given);
}

Builder::Operand LlvmBack::generic() {
  return operand(open().Insert(generic_call->clone()), result_is);
}

llvm::FunctionType *LlvmBack::signature(const std::optional<PointType> &returned,
                                        const std::vector<Operand> &given) {
  llvm::SmallVector<llvm::Type *, 8> parameters;
  for (const Operand &each : given)
    parameters.push_back(value_of(each)->getType());
  return llvm::FunctionType::get(returned ? type_of(*returned) : ir.getVoidTy(), parameters,
                                 /*isVarArg=*/false);
}

Builder::Operand LlvmBack::call_of(llvm::FunctionCallee function,
                                   const std::optional<PointType> &returned,
                                   const std::vector<Operand> &given) {
  llvm::SmallVector<llvm::Value *, 8> values;
  for (const Operand &each : given)
    values.push_back(value_of(each));
  llvm::CallInst *made = open().CreateCall(function, values);
  // C code relies on its caller to extend integers smaller than an int.
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

Builder::Operand LlvmBack::call(const std::string &name, const std::optional<PointType> &returned,
                                const std::vector<Operand> &given) {
  llvm::FunctionType *type = signature(returned, given);
  return call_of({type, symbol(name, type)}, returned, given);
}

Builder::Operand LlvmBack::call(Operand function, const std::optional<PointType> &returned,
                                const std::vector<Operand> &given) {
  return call_of({signature(returned, given), pointer_of(function)}, returned, given);
}

void LlvmBack::depends_on(const Invariant &invariant) {
  if (!invariant.valid())
    fail("its generator depends on an invariant that does not hold",
         "promise the memory again before the point is set");
  invariants.push_back(invariant.number());
}

Builder::Operand LlvmBack::source(const CSource &source) {
  auto compiled = compiler::link_c_source(wrapper, source, label());
  if (!compiled)
    fail(std::move(compiled.error()));
  llvm::SmallVector<llvm::Value *, 8> given;
  for (llvm::Argument &each : wrapper.args())
    given.push_back(&each);
  return operand(open().CreateCall(*compiled, given), result_is);
}

detail::LlvmParts LlvmBack::llvm_parts() {
  return {&wrapper, generic_call->getCalledFunction(), &ir};
}

void *LlvmBack::llvm_value(Operand operand) { return value_of(operand); }

Builder::Operand LlvmBack::operand_of(void *llvm_value, const PointType &type) {
  auto *value = static_cast<llvm::Value *>(llvm_value);
  if (value->getType() != type_of(type))
    fail("its generator takes a value of LLVM's as " + type.text(), "name the type it has");
  return operand(value, type);
}

} // namespace sartor
