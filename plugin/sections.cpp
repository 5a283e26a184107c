// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sections.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>

namespace sartor::plugin {

using namespace llvm;

Constant *make_string(Module &module, StringRef text) {
  auto *data = ConstantDataArray::getString(module.getContext(), text);
  auto *global = new GlobalVariable(module, data->getType(), /*isConstant=*/true,
                                    GlobalValue::PrivateLinkage, data, "sartor.name");
  global->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
  return global;
}

GlobalVariable *make_global(Module &module, Constant *contents, StringRef name, StringRef section) {
  auto *global = new GlobalVariable(module, contents->getType(), /*isConstant=*/true,
                                    GlobalValue::PrivateLinkage, contents, name);
  global->setSection(section);
  global->setAlignment(Align(8));
  GlobalValue::SanitizerMetadata bare;
  bare.NoAddress = true;
  global->setSanitizerMetadata(bare);
  return global;
}

GlobalVariable *make_bound(Module &module, StringRef name) {
  auto *bound =
      cast<GlobalVariable>(module.getOrInsertGlobal(name, Type::getInt8Ty(module.getContext())));
  bound->setVisibility(GlobalValue::HiddenVisibility);
  return bound;
}

void call_if_heard(Function &constructor, StringRef listener, ArrayRef<llvm::Value *> arguments) {
  Module &module = *constructor.getParent();
  LLVMContext &context = module.getContext();
  const SmallVector<Type *> types(arguments.size(), PointerType::getUnqual(context));
  FunctionCallee called = module.getOrInsertFunction(
      listener, FunctionType::get(Type::getVoidTy(context), types, /*isVarArg=*/false));
  auto *heard = cast<GlobalValue>(called.getCallee());
  if (heard->isDeclaration())
    heard->setLinkage(GlobalValue::ExternalWeakLinkage);
  auto *begin = BasicBlock::Create(context, "", &constructor);
  auto *tell = BasicBlock::Create(context, "", &constructor);
  auto *end = BasicBlock::Create(context, "", &constructor);
  IRBuilder<> builder(begin);
  builder.CreateCondBr(builder.CreateIsNotNull(heard), tell, end);
  builder.SetInsertPoint(tell);
  builder.CreateCall(called, arguments);
  builder.CreateBr(end);
  builder.SetInsertPoint(end);
  builder.CreateRetVoid();
}

} // namespace sartor::plugin
