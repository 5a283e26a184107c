// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "asking_writes.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

#include "writes.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

// True for operands that cannot become parameters: the callee, and immediate arguments.
bool is_fixed(const Use &operand) {
  const auto *call = dyn_cast<CallBase>(operand.getUser());
  return call && (!call->isArgOperand(&operand) ||
                  call->paramHasAttr(call->getArgOperandNo(&operand), Attribute::ImmArg));
}

bool are_alike(const Instruction &a, const Instruction &b) {
  return a.isSameOperationAs(&b) && all_of(a.operands(), [&](const Use &operand) {
           return !is_fixed(operand) || operand.get() == b.getOperand(operand.getOperandNo());
         });
}

bool is_about_code_generation(const Attribute &attribute) {
  if (attribute.isStringAttribute())
    return true;
  return is_contained({Attribute::UWTable, Attribute::SanitizeAddress, Attribute::SanitizeMemory,
                       Attribute::SanitizeThread, Attribute::SanitizeHWAddress},
                      attribute.getKindAsEnum());
}

AttrBuilder attributes_like(const Function &caller) {
  AttrBuilder attributes(caller.getContext());
  for (const Attribute &attribute : caller.getAttributes().getFnAttrs())
    if (is_about_code_generation(attribute))
      attributes.addAttribute(attribute);
  for (const auto kind : {Attribute::NoInline, Attribute::Cold, Attribute::NoUnwind})
    attributes.addAttribute(kind);
  return attributes;
}

AtomicOrdering reading(AtomicOrdering ordering) {
  switch (ordering) {
  case AtomicOrdering::Release:
    return AtomicOrdering::Monotonic;
  case AtomicOrdering::AcquireRelease:
    return AtomicOrdering::Acquire;
  default:
    return ordering;
  }
}

Value *read(IRBuilder<> &builder, Value &address, Type &type, Align align, AtomicOrdering ordering,
            SyncScope::ID scope) {
  LoadInst *load = builder.CreateAlignedLoad(&type, &address, align);
  load->setAtomic(reading(ordering), scope);
  return load;
}

/// Returns the result of an operation whose store is not executed; null if it has no result.
Value *value_without(IRBuilder<> &builder, Instruction &write) {
  if (write.getType()->isVoidTy())
    return nullptr;
  if (auto *update = dyn_cast<AtomicRMWInst>(&write))
    return read(builder, *update->getPointerOperand(), *update->getType(), update->getAlign(),
                update->getOrdering(), update->getSyncScopeID());
  if (auto *exchange = dyn_cast<AtomicCmpXchgInst>(&write)) {
    Value *expected = exchange->getCompareOperand();
    Value *found =
        read(builder, *exchange->getPointerOperand(), *expected->getType(), exchange->getAlign(),
             exchange->getSuccessOrdering(), exchange->getSyncScopeID());
    Value *both = builder.CreateInsertValue(PoisonValue::get(write.getType()), found, 0);
    return builder.CreateInsertValue(both, builder.CreateICmpEQ(found, expected), 1);
  }
  auto &call = cast<CallBase>(write);
  Value *to = call.getArgOperand(0);
  return call.getCalledFunction()->getName().contains("mempcpy")
             ? builder.CreateInBoundsGEP(builder.getInt8Ty(), to, call.getArgOperand(2))
             : to;
}

void give(IRBuilder<> &builder, Value *value) {
  if (value)
    builder.CreateRet(value);
  else
    builder.CreateRetVoid();
}

} // namespace

CallInst *AskingWrites::call(Instruction &write, Instruction &place) {
  Function *function = function_for(write);
  SmallVector<Value *> arguments;
  for (const Use &operand : write.operands())
    if (!is_fixed(operand))
      arguments.push_back(operand.get());
  IRBuilder<> builder(&place);
  CallInst *call = builder.CreateCall(function, arguments);
  call->setCallingConv(function->getCallingConv());
  call->setDebugLoc(write.getDebugLoc());
  return call;
}

Function *AskingWrites::function_for(Instruction &write) {
  const AttributeSet attributes =
      AttributeSet::get(module_.getContext(), attributes_like(*write.getFunction()));
  for (const Known &known : known_)
    if (known.function->getAttributes().getFnAttrs() == attributes &&
        are_alike(*known.write, write))
      return known.function;
  return known_.emplace_back(make(write)).function;
}

AskingWrites::Known AskingWrites::make(Instruction &write) {
  LLVMContext &context = module_.getContext();
  SmallVector<Type *> parameters;
  for (const Use &operand : write.operands())
    if (!is_fixed(operand))
      parameters.push_back(operand->getType());
  auto *function =
      Function::Create(FunctionType::get(write.getType(), parameters, /*isVarArg=*/false),
                       GlobalValue::InternalLinkage, "sartor.ask", module_);
  function->addFnAttrs(attributes_like(*write.getFunction()));
  function->setCallingConv(CallingConv::PreserveMost);

  IRBuilder<> builder(BasicBlock::Create(context, "", function));
  auto *allowed = BasicBlock::Create(context, "", function);
  auto *refused = BasicBlock::Create(context, "", function);
  Instruction *copy = write.clone();
  copy->dropUnknownNonDebugMetadata();
  copy->setDebugLoc({});
  unsigned next = 0;
  for (Use &operand : copy->operands())
    if (!is_fixed(operand))
      operand.set(function->getArg(next++));
  Value *address = written_address(*copy);
  copy->insertInto(allowed, allowed->end());
  Value *bytes = builder.CreateZExtOrTrunc(written_bytes(*copy), builder.getInt64Ty());
  Value *answer =
      builder.CreateCall(listener("sartor_may_write", builder.getInt32Ty()), {address, bytes});
  builder.CreateCondBr(builder.CreateIsNotNull(answer), allowed, refused);
  builder.SetInsertPoint(allowed);
  builder.CreateCall(listener("sartor_written", builder.getVoidTy()), {address, bytes});
  give(builder, write.getType()->isVoidTy() ? nullptr : copy);
  builder.SetInsertPoint(refused);
  give(builder, value_without(builder, *copy));
  return {function, copy};
}

// The function is weak, so that a program links without the runtime, which alone arms the byte.
FunctionCallee AskingWrites::listener(StringRef name, Type *result) {
  LLVMContext &context = module_.getContext();
  FunctionCallee function = module_.getOrInsertFunction(
      name, result, PointerType::getUnqual(context), Type::getInt64Ty(context));
  if (auto *declared = dyn_cast<Function>(function.getCallee());
      declared && declared->isDeclaration()) {
    declared->setLinkage(GlobalValue::ExternalWeakLinkage);
    declared->setDoesNotThrow();
  }
  return function;
}

} // namespace sartor::compiler
