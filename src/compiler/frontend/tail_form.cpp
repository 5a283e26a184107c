// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/tail_form.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

namespace sartor::compiler {

using namespace llvm;

namespace {

// Returns the next instruction that does work; lifetime markers only matter to the stack's layout.
const Instruction *next_of(const Instruction &instruction) {
  const Instruction *next = instruction.getNextNode();
  while (next && next->isLifetimeStartOrEnd())
    next = next->getNextNode();
  return next;
}

bool is_returned(const CallBase &call) {
  const Instruction *next = next_of(call);
  const llvm::Value *returned = &call;
  if (const auto *branch = dyn_cast_or_null<BranchInst>(next);
      branch && branch->isUnconditional()) {
    const BasicBlock &last = *branch->getSuccessor(0);
    for (const PHINode &phi : last.phis())
      if (phi.getIncomingValueForBlock(call.getParent()) == &call)
        returned = &phi;
    next = &*last.getFirstNonPHIIt();
  }
  const auto *end = dyn_cast_or_null<ReturnInst>(next);
  return end && (call.getType()->isVoidTy() || end->getReturnValue() == returned);
}

bool has_local_memory(const Function &function) {
  return llvm::any_of(instructions(function),
                      [](const Instruction &each) { return isa<AllocaInst>(each); });
}

template <class Wanted> bool has_call(const Function &function, Wanted wanted) {
  return llvm::any_of(instructions(function), [&](const Instruction &instruction) {
    const auto *call = dyn_cast<CallBase>(&instruction);
    return call && passes_on(*call) && wanted(*call);
  });
}

// Limits on the steps from a value back to an argument.
constexpr unsigned kMostSteps = 64;

// Returns true if a value is computed from the argument; `through_memory`: also by loads.
bool comes_from(const llvm::Value &value, const Argument &argument, bool through_memory) {
  SmallVector<const llvm::Value *> work{&value};
  SmallPtrSet<const llvm::Value *, 16> seen;
  while (!work.empty() && seen.size() < kMostSteps) {
    const llvm::Value *part = work.pop_back_val();
    if (part == &argument)
      return true;
    const auto *instruction = dyn_cast<Instruction>(part);
    if (!instruction || isa<CallBase>(instruction) ||
        (!through_memory && isa<LoadInst>(instruction)) || !seen.insert(part).second)
      continue;
    work.append(instruction->value_op_begin(), instruction->value_op_end());
  }
  return false;
}

// True if the call passes on a position in a program that it has moved, and that says which
// function is called.
bool moves_on(const CallBase &call) {
  for (const Argument &own : call.getFunction()->args()) {
    const llvm::Value *passed = call.getArgOperand(own.getArgNo());
    if (passed != &own && comes_from(*passed, own, /*through_memory=*/false) &&
        comes_from(*call.getCalledOperand(), own, /*through_memory=*/true))
      return true;
  }
  return false;
}

// True if the function itself, or the function that it only forwards to, passes on by such a call.
template <class Wanted> bool passes_on_by(const Function &function, Wanted wanted) {
  return has_call(function, wanted) || has_call(function, [&](const CallBase &call) {
           return call.getCalledFunction() && has_call(*call.getCalledFunction(), wanted);
         });
}

} // namespace

bool passes_on(const CallBase &call) {
  const Function &caller = *call.getFunction();
  const auto *plain = dyn_cast<CallInst>(&call);
  if (!plain || call.getFunctionType() != caller.getFunctionType() ||
      call.getCallingConv() != caller.getCallingConv() || call.hasOperandBundles() ||
      call.isInlineAsm() || (call.getCalledFunction() && call.getCalledFunction()->isIntrinsic()))
    return false;
  return call.isMustTailCall() || (is_returned(call) && !plain->isNoTailCall() &&
                                   (call.isTailCall() || !has_local_memory(caller)));
}

bool passes_on(const Function &function) {
  return has_call(function, [](const CallBase &) { return true; });
}

bool is_in_tail_form(const Function &function) {
  return passes_on_by(function, [](const CallBase &call) {
    return call.isMustTailCall() || call.isIndirectCall();
  });
}

bool is_operation(const Function &function) {
  return passes_on_by(function, [](const CallBase &call) {
    return call.isMustTailCall() || (call.isIndirectCall() && moves_on(call));
  });
}

bool must_pass_on(const Function &function) {
  return passes_on_by(function, [](const CallBase &call) { return call.isMustTailCall(); });
}

bool are_called_alike(const Function &one, const Function &other) {
  if (one.getFunctionType() != other.getFunctionType() ||
      one.getCallingConv() != other.getCallingConv())
    return false;
  const AttributeList ones = one.getAttributes();
  const AttributeList others = other.getAttributes();
  // These attributes affect how an argument is passed; a caller may lack the others.
  for (const Attribute::AttrKind kind :
       {Attribute::ZExt, Attribute::SExt, Attribute::InReg, Attribute::StructRet, Attribute::ByVal,
        Attribute::ByRef, Attribute::InAlloca, Attribute::Preallocated, Attribute::Nest,
        Attribute::SwiftSelf, Attribute::SwiftAsync, Attribute::SwiftError}) {
    if (ones.hasRetAttr(kind) != others.hasRetAttr(kind))
      return false;
    for (const Argument &argument : one.args())
      if (ones.hasParamAttr(argument.getArgNo(), kind) !=
          others.hasParamAttr(argument.getArgNo(), kind))
        return false;
  }
  return true;
}

} // namespace sartor::compiler
