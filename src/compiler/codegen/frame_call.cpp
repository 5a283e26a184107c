// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/frame_call.h"

#include <llvm/IR/DataLayout.h>
#include <llvm/IR/IRBuilder.h>

#include "compiler/codegen/thunk.h"
#include "compiler/frontend/target.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

const Align kFrame(16);

std::uint32_t narrow(std::uint64_t bytes) { return static_cast<std::uint32_t>(bytes); }

} // namespace

core::FrameShape frame_shape(Function &handler) {
  SmallVector<Type *> fields(handler.getFunctionType()->params());
  Type *result = handler.getReturnType();
  if (!result->isVoidTy())
    fields.push_back(result);
  const DataLayout &layout = handler.getDataLayout();
  const StructLayout *places =
      layout.getStructLayout(StructType::get(handler.getContext(), fields));
  core::FrameShape shape;
  for (unsigned i = 0; i < handler.getFunctionType()->getNumParams(); ++i)
    shape.arguments.push_back(narrow(places->getElementOffset(i)));
  shape.bytes = narrow(places->getSizeInBytes());
  shape.result_offset = shape.bytes;
  if (!result->isVoidTy()) {
    shape.result_offset =
        narrow(places->getElementOffset(handler.getFunctionType()->getNumParams()));
    shape.result_bytes = narrow(layout.getTypeStoreSize(result));
  }
  return shape;
}

Function &add_frame_call(Module &module, Function &handler, const std::string &name) {
  LLVMContext &context = handler.getContext();
  auto *pointer = PointerType::getUnqual(context);
  auto *function =
      Function::Create(FunctionType::get(Type::getVoidTy(context), {pointer, pointer}, false),
                       GlobalValue::ExternalLinkage, name, module);
  target_like(*function, handler);
  function->setUWTableKind(UWTableKind::Default);
  IRBuilder<> builder(BasicBlock::Create(context, "", function));
  const core::FrameShape shape = frame_shape(handler);
  const auto at = [&](std::uint32_t offset) {
    return builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), function->getArg(1), offset);
  };
  SmallVector<llvm::Value *> arguments;
  for (Argument &argument : handler.args()) {
    const std::uint32_t offset = shape.arguments[argument.getArgNo()];
    arguments.push_back(
        builder.CreateAlignedLoad(argument.getType(), at(offset), commonAlignment(kFrame, offset)));
  }
  CallBase *call = call_like(builder, handler, function->getArg(0), arguments, nullptr);
  if (shape.result_bytes > 0)
    builder.CreateAlignedStore(call, at(shape.result_offset),
                               commonAlignment(kFrame, shape.result_offset));
  builder.CreateRetVoid();
  return *function;
}

Result<std::unique_ptr<Module>> frame_call(Function &handler, const std::string &name) {
  auto module = thunk_module(handler, name + " (type)", {});
  if (!module)
    return module;
  thunk_of(**module, name + " (type)").eraseFromParent();
  add_frame_call(**module, handler, name);
  return module;
}

} // namespace sartor::compiler
