// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/checking_stub.h"

#include <cstddef>

#include <llvm/IR/DataLayout.h>
#include <llvm/IR/IRBuilder.h>

#include "compiler/codegen/thunk.h"
#include "compiler/frontend/prepare.h"
#include "compiler/frontend/target.h"
#include "core/compiler/stored_stub.h"

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

namespace {

/// Adds a function `name` as CheckedCall::call to a module of the handler's context.
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

class StubBuilder {
public:
  StubBuilder(Function &stub, Function &handler, const Comparable &comparable)
      : stub_(stub), handler_(handler), comparable_(comparable), module_(*stub.getParent()),
        shape_(frame_shape(handler)), builder_(BasicBlock::Create(stub.getContext(), "", &stub)) {}

  void build() {
    auto *frame = builder_.CreateAlloca(ArrayType::get(builder_.getInt8Ty(), shape_.bytes));
    frame->setAlignment(kFrame);
    for (Argument &argument : stub_.args()) {
      const std::uint32_t offset = shape_.arguments[argument.getArgNo()];
      builder_.CreateAlignedStore(&argument, at(frame, offset), commonAlignment(kFrame, offset));
    }
    auto *call =
        builder_.CreateAlloca(ArrayType::get(builder_.getInt8Ty(), sizeof(core::CheckedCall)));
    call->setAlignment(kFrame);
    describe(call, frame);
    builder_.CreateCall(
        FunctionType::get(builder_.getVoidTy(), {builder_.getPtrTy(), builder_.getPtrTy()}, false),
        symbol(core::kCheck), {symbol(core::kChecker), call});
    if (stub_.getReturnType()->isVoidTy())
      builder_.CreateRetVoid();
    else
      builder_.CreateRet(builder_.CreateAlignedLoad(stub_.getReturnType(),
                                                    at(frame, shape_.result_offset),
                                                    commonAlignment(kFrame, shape_.result_offset)));
  }

private:
  Constant *symbol(const char *name) {
    return module_.getOrInsertGlobal(name, builder_.getInt8Ty());
  }

  llvm::Value *at(llvm::Value *object, std::uint64_t offset) {
    return builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), object, offset);
  }

  void describe(llvm::Value *call, llvm::Value *frame) {
    const auto set = [&](std::size_t offset, llvm::Value *value) {
      builder_.CreateStore(value, at(call, offset));
    };
    const auto number = [&](std::size_t offset, std::uint32_t value) {
      set(offset, builder_.getInt32(value));
    };
    Constant *none = ConstantPointerNull::get(builder_.getPtrTy());
    Function &caller =
        add_frame_call(module_, handler_, core::checking_symbol(handler_name(handler_)) + " call");
    caller.setLinkage(GlobalValue::InternalLinkage);
    const auto &regions = comparable_.regions();
    const auto &mask = comparable_.result_mask();
    set(offsetof(core::CheckedCall, call), &caller);
    set(offsetof(core::CheckedCall, footprint), regions.empty() ? none : footprint());
    set(offsetof(core::CheckedCall, frame), frame);
    set(offsetof(core::CheckedCall, forms), regions.empty() ? none : forms());
    set(offsetof(core::CheckedCall, result_mask),
        mask.empty() ? none : constant(ConstantDataArray::get(stub_.getContext(), mask)));
    number(offsetof(core::CheckedCall, regions), static_cast<std::uint32_t>(regions.size()));
    number(offsetof(core::CheckedCall, frame_bytes), shape_.bytes);
    number(offsetof(core::CheckedCall, result_offset), shape_.result_offset);
    number(offsetof(core::CheckedCall, result_bytes), shape_.result_bytes);
    number(offsetof(core::CheckedCall, inexact_floats), comparable_.inexact_floats());
  }

  Constant *constant(Constant *value) {
    return new GlobalVariable(module_, value->getType(), /*isConstant=*/true,
                              GlobalValue::PrivateLinkage, value, "sartor.check");
  }

  Constant *forms() {
    static_assert(sizeof(core::RegionForm) == 3 * sizeof(std::uint32_t));
    std::vector<std::uint32_t> fields;
    for (const Comparable::Region &region : comparable_.regions())
      fields.insert(fields.end(),
                    {region.parameter, shape_.arguments[region.parameter], region.inexact_floats});
    return constant(ConstantDataArray::get(stub_.getContext(), fields));
  }

  Function *footprint() {
    auto *pointer = builder_.getPtrTy();
    auto *function =
        Function::Create(FunctionType::get(builder_.getInt1Ty(), {pointer, pointer}, false),
                         GlobalValue::InternalLinkage, "sartor.check.footprint", module_);
    function->addRetAttr(Attribute::ZExt);
    function->setUWTableKind(UWTableKind::Default);
    const IRBuilderBase::InsertPointGuard guard(builder_);
    builder_.SetInsertPoint(BasicBlock::Create(stub_.getContext(), "", function));
    const auto argument = [&](unsigned index) -> llvm::Value * {
      const std::uint32_t offset = shape_.arguments[index];
      return builder_.CreateAlignedLoad(handler_.getArg(index)->getType(),
                                        at(function->getArg(0), offset),
                                        commonAlignment(kFrame, offset));
    };
    llvm::Value *are_valid = builder_.getTrue();
    for (std::size_t i = 0; i < comparable_.regions().size(); ++i) {
      const auto [begin, end] = comparable_.emit_extent(i, builder_, argument);
      llvm::Value *region = at(function->getArg(1), i * sizeof(core::WrittenRegion));
      builder_.CreateStore(builder_.CreateGEP(builder_.getInt8Ty(),
                                              argument(comparable_.regions()[i].parameter), begin),
                           at(region, offsetof(core::WrittenRegion, begin)));
      builder_.CreateStore(builder_.CreateSub(end, begin),
                           at(region, offsetof(core::WrittenRegion, bytes)));
      are_valid = builder_.CreateAnd(are_valid, builder_.CreateICmpSGE(end, begin));
    }
    builder_.CreateRet(are_valid);
    return function;
  }

  Function &stub_;
  Function &handler_;
  const Comparable &comparable_;
  Module &module_;
  const core::FrameShape shape_;
  IRBuilder<> builder_;
};

} // namespace

Result<std::unique_ptr<Module>> frame_call(Function &handler, const std::string &name) {
  auto module = thunk_module(handler, name + " (type)", {});
  if (!module)
    return module;
  thunk_of(**module, name + " (type)").eraseFromParent();
  add_frame_call(**module, handler, name);
  return module;
}

Result<std::unique_ptr<Module>> checking_stub(Function &handler, const Comparable &comparable) {
  const std::string name = core::checking_symbol(handler_name(handler));
  auto module = thunk_module(handler, name, {});
  if (module) {
    Function &stub = thunk_of(**module, name);
    if (handler.hasFnAttribute(Attribute::FnRetThunkExtern))
      stub.addFnAttr(Attribute::FnRetThunkExtern);
    StubBuilder(stub, handler, comparable).build();
  }
  return module;
}

} // namespace sartor::compiler
