// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/specialize/builder.h"

#include <atomic>
#include <utility>

#include <dlfcn.h>

#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>

#include "compiler/frontend/call_marks.h"

namespace sartor {

namespace {

std::uint64_t next_id() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

PointType described(const llvm::Type &type, bool is_signed) {
  if (type.isIntegerTy(1))
    return types::boolean;
  if (type.isIntegerTy())
    return {PointType::Class::integer, type.getIntegerBitWidth(), is_signed};
  if (type.isPointerTy())
    return types::pointer;
  return type.isFloatTy() ? types::f32 : types::f64;
}

llvm::CallInst *take_generic_call(llvm::Function &wrapper) {
  auto *call = llvm::cast<llvm::CallInst>(&compiler::wrapped_call(wrapper));
  call->replaceAllUsesWith(llvm::PoisonValue::get(call->getType()));
  call->removeFromParent();
  call->setTailCallKind(llvm::CallInst::TCK_None);
  for (llvm::BasicBlock &block : wrapper)
    block.dropAllReferences();
  while (!wrapper.empty())
    wrapper.front().eraseFromParent();
  return call;
}

} // namespace

LlvmBack::LlvmBack(llvm::Function &function, const compiler::CustomPoint &custom_point,
                   const compiler::Symbols &program_symbols)
    : wrapper(function), point(custom_point), symbols(program_symbols), ir(function.getContext()),
      generic_call(take_generic_call(function)),
      result_is(described(*function.getReturnType(), custom_point.result.is_signed)),
      id(next_id()) {
  for (unsigned i = 0; i < function.arg_size(); ++i)
    arguments.push_back(
        described(*function.getArg(i)->getType(),
                  i < custom_point.arguments.size() && custom_point.arguments[i].is_signed));
  ir.SetInsertPoint(llvm::BasicBlock::Create(function.getContext(), "entry", &function));
  ir.SetCurrentDebugLocation(generic_call->getDebugLoc());
}

LlvmBack::~LlvmBack() { generic_call->deleteValue(); }

void LlvmBack::fail(Failure why) {
  if (!failure)
    failure = why;
  throw Error(std::move(why));
}

void LlvmBack::fail(std::string message, std::string remedy, ErrorCode code) {
  fail(Failure{code, point.label, std::move(message), std::move(remedy)});
}

llvm::IRBuilder<> &LlvmBack::open() {
  if (ir.GetInsertBlock()->getTerminator())
    fail("its generator goes on after the end of a block", "enter() another block first");
  return ir;
}

llvm::Value *LlvmBack::value_of(Operand operand) {
  void *value = value_in(operand, id);
  if (!value)
    fail("its generator uses an operand that this builder has not given",
         "use what the builder's members return, and do not keep it");
  return static_cast<llvm::Value *>(value);
}

llvm::Value *LlvmBack::integer_of(Operand operand) {
  llvm::Value *value = value_of(operand);
  if (!value->getType()->isIntegerTy())
    fail("its generator gives " + operand.type().text() + " where an integer is needed",
         "give an integer");
  return value;
}

llvm::Value *LlvmBack::pointer_of(Operand operand) {
  llvm::Value *value = value_of(operand);
  if (!value->getType()->isPointerTy())
    fail("its generator gives " + operand.type().text() + " where a pointer is needed",
         "give a pointer, or turn an address into one with as()");
  return value;
}

llvm::Value *LlvmBack::condition_of(Operand operand) {
  llvm::Value *value = value_of(operand);
  if (!value->getType()->isIntegerTy(1))
    fail("its generator gives " + operand.type().text() + " where a condition is needed",
         "compare() it with something");
  return value;
}

llvm::Value *LlvmBack::index_of(Operand operand) {
  llvm::Value *value = integer_of(operand);
  if (value->getType()->getIntegerBitWidth() > 64)
    fail("its generator gives " + operand.type().text() + " as an index", "truncate it to 64 bits");
  return open().CreateZExt(value, ir.getInt64Ty());
}

Builder::Operand LlvmBack::operand(llvm::Value *value, const PointType &type) const {
  return make_operand(value, id, type);
}

llvm::Type *LlvmBack::type_of(const PointType &type) {
  switch (type.kind) {
  case PointType::Class::boolean:
    return ir.getInt1Ty();
  case PointType::Class::pointer:
    return ir.getPtrTy();
  case PointType::Class::integer:
    if (type.bits == 8 || type.bits == 16 || type.bits == 32 || type.bits == 64)
      return ir.getIntNTy(type.bits);
    break;
  case PointType::Class::floating:
    if (type.bits == 32 || type.bits == 64)
      return type.bits == 32 ? ir.getFloatTy() : ir.getDoubleTy();
    break;
  }
  fail("its generator asks for the type " + type.text(), "use one of sartor::types");
}

llvm::Type *LlvmBack::memory_type_of(const PointType &type) {
  return type.kind == PointType::Class::boolean ? ir.getInt8Ty() : type_of(type);
}

void LlvmBack::same_type(Operand a, Operand b) {
  if (value_of(a)->getType() != value_of(b)->getType())
    fail("its generator combines " + a.type().text() + " and " + b.type().text(),
         "bring both to one type first");
}

Builder::Operand LlvmBack::binary(llvm::Instruction::BinaryOps integer,
                                  llvm::Instruction::BinaryOps floating, Operand a, Operand b) {
  same_type(a, b);
  const bool is_floating = value_of(a)->getType()->isFloatingPointTy();
  if (!is_floating || floating == llvm::Instruction::BinaryOpsEnd)
    (void)integer_of(a);
  return operand(open().CreateBinOp(is_floating ? floating : integer, value_of(a), value_of(b)),
                 a.type());
}

Builder::Operand LlvmBack::shift(llvm::Instruction::BinaryOps operation, Operand a, Operand count) {
  same_type(a, count);
  llvm::Type *type = integer_of(a)->getType();
  llvm::Value *bits = llvm::ConstantInt::get(type, type->getIntegerBitWidth() - 1);
  return operand(open().CreateBinOp(operation, value_of(a), ir.CreateAnd(value_of(count), bits)),
                 a.type());
}

llvm::Constant *LlvmBack::symbol(const std::string &name, llvm::FunctionType *type) {
  llvm::Module &module = *wrapper.getParent();
  if (llvm::GlobalValue *known = module.getNamedValue(name))
    return known;
  if (!symbols.contains(name) && !dlsym(RTLD_DEFAULT, name.c_str()))
    fail("its generator uses the symbol \"" + name + "\", which has no address in the program",
         "use one that handlers use, or export it with -rdynamic, or give its address");
  if (type)
    return llvm::cast<llvm::Constant>(module.getOrInsertFunction(name, type).getCallee());
  return llvm::cast<llvm::Constant>(module.getOrInsertGlobal(name, ir.getInt8Ty()));
}

Result<void> LlvmBack::finish() {
  if (failure)
    return std::unexpected(*failure);
  const auto unfinished = [&](std::string message, const char *remedy) {
    return std::unexpected(
        Failure{ErrorCode::bad_generator, point.label, std::move(message), remedy});
  };
  for (llvm::BasicBlock &block : llvm::make_early_inc_range(wrapper)) {
    if (block.getTerminator())
      continue;
    if (!block.empty() || block.isEntryBlock())
      return unfinished("its generator leaves a block without an end",
                        "end each block with result(), jump(), branch() or switch_on()");
    if (!block.use_empty())
      return unfinished("its generator jumps to a block that it never fills",
                        "enter() each block that code goes to");
    block.eraseFromParent();
  }
  std::string problems;
  llvm::raw_string_ostream stream(problems);
  if (llvm::verifyFunction(wrapper, &stream))
    return std::unexpected(Failure{ErrorCode::generated_invalid_ir, point.label,
                                   "its generator built invalid code: " + problems,
                                   "mend the generator of kind \"" + point.kind + '"'});
  return {};
}

const std::string &LlvmBack::label() const { return point.label; }
const std::string &LlvmBack::kind() const { return point.kind; }
const std::string &LlvmBack::handler() const { return point.handler; }
const Value &LlvmBack::setting() const { return point.setting.values.front(); }
const PointType &LlvmBack::result_type() const { return result_is; }
const std::vector<PointType> &LlvmBack::argument_types() const { return arguments; }

void LlvmBack::fail(std::string message) {
  fail(std::move(message), "see the generator of kind \"" + kind() + '"');
}

} // namespace sartor
