// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sections.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

namespace sartor::compiler {

using namespace llvm;

namespace {

std::string quoted(StringRef bytes) {
  std::string text;
  raw_string_ostream stream(text);
  for (const char byte : bytes)
    if (isAlnum(byte) || byte == ' ')
      stream << byte;
    else
      stream << '\\' << static_cast<char>('0' + (static_cast<unsigned char>(byte) >> 6U))
             << static_cast<char>('0' + ((static_cast<unsigned char>(byte) >> 3U) & 7U))
             << static_cast<char>('0' + (static_cast<unsigned char>(byte) & 7U));
  return text;
}

} // namespace

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

Function *make_shared_constructor(Module &module, StringRef name) {
  auto *constructor =
      Function::Create(FunctionType::get(Type::getVoidTy(module.getContext()), /*isVarArg=*/false),
                       GlobalValue::WeakODRLinkage, name, module);
  constructor->setComdat(module.getOrInsertComdat(name));
  constructor->setVisibility(GlobalValue::HiddenVisibility);
  constexpr int by_default = 65535;
  appendToGlobalCtors(module, constructor, by_default, constructor);
  return constructor;
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
  auto *report = BasicBlock::Create(context, "", &constructor);
  auto *end = BasicBlock::Create(context, "", &constructor);
  IRBuilder<> builder(begin);
  builder.CreateCondBr(builder.CreateIsNotNull(heard), report, end);
  builder.SetInsertPoint(report);
  builder.CreateCall(called, arguments);
  builder.CreateBr(end);
  builder.SetInsertPoint(end);
  builder.CreateRetVoid();
}

// Written as assembly: LLVM has no other way to emit a section that is neither loaded nor discarded
// by the linker.
void add_unloaded(Module &module, StringRef section, StringRef magic, StringRef text) {
  std::string assembly;
  raw_string_ostream(assembly) << "\t.pushsection " << section
                               << ",\"\",@progbits\n\t.p2align 3\n\t.ascii \"" << magic
                               << "\"\n\t.quad " << text.size() << "\n\t.ascii \"" << quoted(text)
                               << "\"\n\t.p2align 3\n\t.popsection";
  module.appendModuleInlineAsm(assembly);
}

} // namespace sartor::compiler
