// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "callers.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstrTypes.h>

#include "compiler/frontend/native_only.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

// Neither inlined nor making a tail call, so that the return address is in this function.
void make_caller(Function &called, const std::string &name) {
  auto *caller = Function::Create(called.getFunctionType(), GlobalValue::InternalLinkage, name,
                                  *called.getParent());
  caller->setCallingConv(called.getCallingConv());
  caller->addFnAttr(Attribute::NoInline);
  caller->addFnAttr("disable-tail-calls", "true");
  caller->setUWTableKind(UWTableKind::Async);
  IRBuilder<> builder(BasicBlock::Create(called.getContext(), "", caller));
  SmallVector<Value *> arguments;
  for (Argument &argument : caller->args())
    arguments.push_back(&argument);
  CallInst *call = builder.CreateCall(&called, arguments);
  call->setCallingConv(called.getCallingConv());
  call->setTailCallKind(CallInst::TCK_NoTail);
  if (caller->getReturnType()->isVoidTy())
    builder.CreateRetVoid();
  else
    builder.CreateRet(call);
}

} // namespace

void call_from_native(Module &bitcode, Module &native, const std::string &suffix) {
  for (const char *name : compiler::kCallerSensitive) {
    Function *called = bitcode.getFunction(name);
    Function *original = native.getFunction(name);
    if (!called || !original || !called->isDeclaration() || called->isVarArg())
      continue;
    SmallVector<CallBase *> calls;
    for (User *user : called->users())
      if (auto *call = dyn_cast<CallBase>(user); call && call->getCalledFunction() == called)
        calls.push_back(call);
    if (calls.empty())
      continue;
    const std::string own = "sartor.caller." + std::string(name) + suffix;
    make_caller(*original, own);
    auto *declared =
        Function::Create(called->getFunctionType(), GlobalValue::ExternalLinkage, own, bitcode);
    declared->setCallingConv(called->getCallingConv());
    for (CallBase *call : calls)
      call->setCalledFunction(declared);
  }
}

} // namespace sartor::compiler
