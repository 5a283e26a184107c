// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "thread_locals.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/ReplaceConstant.h>

namespace sartor::compiler {

using namespace llvm;

namespace {

void make_accessor(Module &native, GlobalValue &variable, const std::string &name) {
  auto *type = FunctionType::get(variable.getType(), /*isVarArg=*/false);
  auto *accessor = Function::Create(type, GlobalValue::InternalLinkage, name, native);
  accessor->setDoesNotThrow();
  IRBuilder<> builder(BasicBlock::Create(native.getContext(), "", accessor));
  builder.CreateRet(builder.CreateThreadLocalAddress(&variable));
}

Function *declare_accessor(Module &bitcode, Type *pointer, const std::string &name) {
  auto *accessor = Function::Create(FunctionType::get(pointer, /*isVarArg=*/false),
                                    GlobalValue::ExternalLinkage, name, bitcode);
  accessor->setDoesNotThrow();
  accessor->setWillReturn();
  accessor->setDoesNotAccessMemory();
  return accessor;
}

bool is_address_intrinsic(const User &user) {
  const auto *intrinsic = dyn_cast<IntrinsicInst>(&user);
  return intrinsic && intrinsic->getIntrinsicID() == Intrinsic::threadlocal_address;
}

// The front end refers to guard variables of initializers without the intrinsic.
void call_at_use(Use &use, Function &accessor) {
  auto *user = cast<Instruction>(use.getUser());
  if (is_address_intrinsic(*user)) {
    auto *call = CallInst::Create(&accessor, "", user->getIterator());
    user->replaceAllUsesWith(call);
    user->eraseFromParent();
    return;
  }
  const auto *phi = dyn_cast<PHINode>(user);
  Instruction *place = phi ? phi->getIncomingBlock(use)->getTerminator() : user;
  use.set(CallInst::Create(&accessor, "", place->getIterator()));
}

} // namespace

void reach_thread_locals(Module &bitcode, Module &native, const Originals &originals,
                         const std::string &suffix) {
  const auto living = originals.living();
  for (GlobalVariable &variable : make_early_inc_range(bitcode.globals())) {
    if (!variable.isThreadLocal())
      continue;
    GlobalValue *original = living.lookup(&variable);
    if (!original) // a declaration made from an alias
      original = native.getNamedValue(variable.getName());
    const std::string name = "sartor.tls." + variable.getName().str() + suffix;
    make_accessor(native, *original, name);
    Function *accessor = declare_accessor(bitcode, variable.getType(), name);
    convertUsersOfConstantsToInstructions({&variable});
    while (!variable.use_empty())
      call_at_use(*variable.use_begin(), *accessor);
    variable.eraseFromParent();
  }
}

} // namespace sartor::compiler
