// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/thunk.h"

#include "compiler/frontend/prepare.h"
#include "compiler/frontend/target.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

// On x86, memory addressed relative to the thread pointer.
constexpr unsigned kThreadAddressSpace = 257;

} // namespace

Result<std::unique_ptr<Module>> thunk_module(Function &handler, const std::string &name,
                                             const FixedArguments &fixed) {
  if (handler.isVarArg())
    return std::unexpected(
        Failure{ErrorCode::point_not_specializable, compiler::handler_name(handler),
                "takes a variable number of arguments, which cannot be passed on by code in "
                "between: it can have no plain entry function, and its calls cannot be timed",
                "call it through its Handler, and measure the system instead"});
  LLVMContext &context = handler.getContext();
  const Module &origin = *handler.getParent();
  auto module = std::make_unique<Module>(name, context);
  module->setDataLayout(origin.getDataLayout());
  module->setTargetTriple(origin.getTargetTriple());
  SmallVector<Module::ModuleFlagEntry> flags; // including those for hardening
  origin.getModuleFlagsMetadata(flags);
  for (const Module::ModuleFlagEntry &flag : flags)
    module->addModuleFlag(flag.Behavior, flag.Key->getString(), flag.Val);
  SmallVector<Type *> parameters;
  SmallVector<AttributeSet> attributes;
  for (const Argument &parameter : handler.args())
    if (!fixed.contains(parameter.getArgNo())) {
      parameters.push_back(parameter.getType());
      attributes.push_back(handler.getAttributes().getParamAttrs(parameter.getArgNo()));
    }
  auto *thunk = Function::Create(FunctionType::get(handler.getReturnType(), parameters, false),
                                 GlobalValue::ExternalLinkage, name, *module);
  thunk->setAttributes(AttributeList::get(context, AttributeSet(),
                                          handler.getAttributes().getRetAttrs(), attributes));
  compiler::target_like(*thunk, handler); // vectors are passed as by the handler's callers
  thunk->setCallingConv(handler.getCallingConv());
  thunk->setUWTableKind(UWTableKind::Default);
  if (handler.doesNotThrow())
    thunk->setDoesNotThrow();
  else
    thunk->setPersonalityFn(
        cast<Constant>(module
                           ->getOrInsertFunction("__gxx_personality_v0",
                                                 FunctionType::get(Type::getInt32Ty(context), true))
                           .getCallee()));
  return module;
}

Function &thunk_of(Module &module, const std::string &name) { return *module.getFunction(name); }

CallBase *call_like(IRBuilder<> &builder, Function &handler, llvm::Value *code,
                    ArrayRef<llvm::Value *> arguments, BasicBlock *unwound) {
  LLVMContext &context = builder.getContext();
  CallBase *call = nullptr;
  if (handler.doesNotThrow() || !unwound) {
    call = builder.CreateCall(handler.getFunctionType(), code, arguments);
  } else {
    auto *after = BasicBlock::Create(context, "", builder.GetInsertBlock()->getParent());
    call = builder.CreateInvoke(handler.getFunctionType(), code, after, unwound, arguments);
    builder.SetInsertPoint(after);
  }
  // Attributes of the handler as a whole do not apply to the call, for example noreturn.
  call->setAttributes(handler.getAttributes().removeFnAttributes(context));
  call->setCallingConv(handler.getCallingConv());
  return call;
}

void return_result(IRBuilder<> &builder, CallBase *call) {
  if (call->getType()->isVoidTy())
    builder.CreateRetVoid();
  else
    builder.CreateRet(call);
}

Constant *address_of(IRBuilder<> &builder, const void *object) {
  return ConstantExpr::getIntToPtr(builder.getInt64(reinterpret_cast<std::uintptr_t>(object)),
                                   builder.getPtrTy());
}

Constant *thread_address(Constant *distance) {
  LLVMContext &context = distance->getContext();
  return ConstantExpr::getIntToPtr(ConstantExpr::getPtrToInt(distance, Type::getInt64Ty(context)),
                                   PointerType::get(context, kThreadAddressSpace));
}

Constant *thread_address(IRBuilder<> &builder, std::ptrdiff_t offset) {
  return ConstantExpr::getIntToPtr(builder.getInt64(static_cast<std::uint64_t>(offset)),
                                   PointerType::get(builder.getContext(), kThreadAddressSpace));
}

} // namespace sartor::compiler
