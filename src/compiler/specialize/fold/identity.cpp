// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/specialize/fold/identity.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

namespace sartor::compiler {

using namespace llvm;

namespace {

constexpr const char *kKnown = "sartor.known";

// Values computed from more values than this are left unchanged.
constexpr unsigned kMostSources = 64;

Function *known_function(Module &module) {
  auto *pointer = PointerType::getUnqual(module.getContext());
  auto *function = cast<Function>(
      module.getOrInsertFunction(kKnown, FunctionType::get(pointer, {pointer, pointer}, false))
          .getCallee());
  function->setDoesNotThrow();
  function->setWillReturn();
  function->setDoesNotAccessMemory();
  function->setSpeculatable();
  return function;
}

bool is_known_call(const llvm::Value &value) {
  const auto *call = dyn_cast<CallInst>(&value);
  const Function *callee = call ? call->getCalledFunction() : nullptr;
  return callee && callee->getName() == kKnown;
}

// The pointer provenance of a result does not depend on memory, comparisons or results of calls.
bool carries_identity(const Instruction &instruction) {
  return !isa<LoadInst, CmpInst>(instruction) &&
         (!isa<CallBase>(instruction) || isa<IntrinsicInst>(instruction));
}

// Calls assembly without instructions, whose result LLVM must assume to be any function of its
// operands.
CallInst *call_opaque(IRBuilderBase &builder, Type *result, ArrayRef<llvm::Value *> operands) {
  std::string constraints = "=r,0";
  SmallVector<Type *> types;
  for (const llvm::Value *operand : operands)
    types.push_back(operand->getType());
  for (std::size_t i = 1; i < operands.size(); ++i)
    constraints += ",r";
  auto *code = InlineAsm::get(FunctionType::get(result, types, false), "", constraints,
                              /*hasSideEffects=*/false);
  CallInst *call = builder.CreateCall(code, operands);
  call->setDoesNotThrow();
  call->setDoesNotAccessMemory();
  return call;
}

} // namespace

bool may_stand_for_pointer(const Constant &known) {
  if (known.isNullValue() || known.getType()->getPointerAddressSpace() != 0)
    return true;
  const llvm::Value *object = getUnderlyingObject(&known);
  const auto *variable = dyn_cast<GlobalVariable>(object);
  return isa<Function>(object) ||
         (variable && variable->isConstant() && variable->hasDefinitiveInitializer());
}

llvm::Value *know_pointer(IRBuilderBase &builder, llvm::Value &pointer, Constant &known) {
  Function *function = known_function(*builder.GetInsertBlock()->getModule());
  return builder.CreateCall(function, {&pointer, &known});
}

llvm::Value *may_know_pointer(IRBuilderBase &builder, llvm::Value &pointer) {
  Function *function = known_function(*builder.GetInsertBlock()->getModule());
  return builder.CreateCall(function, {&pointer, &pointer});
}

llvm::Value *written_of(const llvm::Value &pointer) {
  return is_known_call(pointer) ? cast<CallInst>(pointer).getArgOperand(1) : nullptr;
}

Constant *known_pointer(const llvm::Value &pointer) {
  return dyn_cast_or_null<Constant>(written_of(pointer));
}

bool keeps_identity(const Use &use) {
  const auto *user = cast<Instruction>(use.getUser());
  if (const auto *call = dyn_cast<CallBase>(user); call && call->isCallee(&use))
    return false;
  if (is_known_call(*user))
    return use.getOperandNo() == 0;
  const Function *known = user->getModule()->getFunction(kKnown);
  if (!known || known->use_empty())
    return false;
  SmallVector<const llvm::Value *> work{use.get()};
  SmallPtrSet<const llvm::Value *, 16> seen;
  while (!work.empty()) {
    const auto *instruction = dyn_cast<Instruction>(work.pop_back_val());
    if (!instruction || !seen.insert(instruction).second)
      continue;
    if (is_known_call(*instruction) || seen.size() > kMostSources)
      return true;
    if (carries_identity(*instruction))
      for (const Use &operand : instruction->operands())
        work.push_back(operand);
  }
  return false;
}

void forget_known_pointers(Module &module) {
  Function *known = module.getFunction(kKnown);
  if (!known)
    return;
  const auto is_known = [](const llvm::Value &value) {
    return isa<Constant>(value) || is_known_call(value);
  };
  SmallVector<CallInst *> calls;
  for (User *user : known->users())
    calls.push_back(cast<CallInst>(user));
  SmallVector<std::pair<Use *, Constant *>> safe;
  for (CallInst *call : calls)
    for (Use &use : call->uses()) {
      const auto *caller = dyn_cast<CallBase>(use.getUser());
      const auto *comparison = dyn_cast<ICmpInst>(use.getUser());
      if ((caller && caller->isCallee(&use)) ||
          (comparison && is_known(*comparison->getOperand(0)) &&
           is_known(*comparison->getOperand(1))))
        safe.emplace_back(&use, known_pointer(*call));
    }
  for (const auto &[use, value] : safe)
    if (value)
      use->set(value);
  for (CallInst *call : calls) {
    call->replaceAllUsesWith(call->getArgOperand(0));
    call->eraseFromParent();
  }
  known->eraseFromParent();
}

llvm::Value *hidden_address(IRBuilderBase &builder, llvm::Value &pointer) {
  llvm::Value *number = builder.CreatePtrToInt(&pointer, builder.getInt64Ty());
  return call_opaque(builder, builder.getInt64Ty(), number);
}

llvm::Value *pointer_based_on(IRBuilderBase &builder, llvm::Value &address,
                              ArrayRef<llvm::Value *> sources) {
  SmallVector<llvm::Value *> operands{&address};
  operands.append(sources.begin(), sources.end());
  return call_opaque(builder, address.getType(), operands);
}

} // namespace sartor::compiler
