// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/rotation_stub.h"

#include <cstddef>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/MDBuilder.h>

#include "compiler/codegen/thunk.h"
#include "compiler/frontend/prepare.h"
#include "core/space/readable_name.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

// The end time stamp is read after all earlier instructions have completed; later instructions may
// begin before it is read, which is harmless at the end of a call. The begin time stamp is read
// before the call begins.
constexpr const char *kBegin = "lfence\n\trdtsc\n\tshlq $$32, %rdx\n\torq %rdx, %rax";
constexpr const char *kBeginRegisters = "={rax},~{rdx},~{memory},~{dirflag},~{fpsr},~{flags}";
constexpr const char *kEnd = "rdtscp\n\tshlq $$32, %rdx\n\torq %rdx, %rax";
constexpr const char *kEndRegisters = "={rax},~{rdx},~{rcx},~{memory},~{dirflag},~{fpsr},~{flags}";

class StubBuilder {
public:
  StubBuilder(Function &stub, Function &handler, const core::RotationSite &site)
      : stub_(stub), handler_(handler), site_(site), context_(stub.getContext()),
        builder_(block("")) {
    for (Argument &argument : stub.args())
      arguments_.push_back(&argument);
  }

  void build() {
    find_block();
    llvm::Value *code = load(builder_.getPtrTy(), offsetof(core::RotationBlock, code));
    store(builder_.getInt64(0), offsetof(core::RotationBlock, armed));
    begin_ = time_stamp(kBegin, kBeginRegisters);
    CallBase *call = call_like(builder_, handler_, code, arguments_,
                               stub_.doesNotThrow() ? nullptr : unwinding());
    end_call();
    return_result(builder_, call);
  }

private:
  BasicBlock *block(const char *name) { return BasicBlock::Create(context_, name, &stub_); }

  // Volatile, because calls change the memory unseen by LLVM, and accesses must not move across the
  // time stamps.
  LoadInst *load(Type *type, std::size_t offset) {
    return builder_.CreateAlignedLoad(type, at(offset), Align(8), /*isVolatile=*/true);
  }
  void store(llvm::Value *value, std::size_t offset) {
    builder_.CreateAlignedStore(value, at(offset), Align(8), /*isVolatile=*/true);
  }
  llvm::Value *at(std::size_t offset) {
    return builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), block_, offset);
  }

  llvm::Value *time_stamp(const char *code, const char *registers) {
    return builder_.CreateCall(InlineAsm::get(FunctionType::get(builder_.getInt64Ty(), false), code,
                                              registers, /*hasSideEffects=*/true));
  }

  llvm::Value *load_block() {
    auto *pointer = builder_.getPtrTy();
    llvm::Value *table = builder_.CreateAlignedLoad(pointer, thread_address(builder_, site_.table),
                                                    Align(8), /*isVolatile=*/true);
    return builder_.CreateAlignedLoad(pointer,
                                      builder_.CreateConstInBoundsGEP1_64(
                                          builder_.getInt8Ty(), table, site_.slot * sizeof(void *)),
                                      Align(8), /*isVolatile=*/true);
  }

  /// Leaves `block_` armed, and `plan_` set to the plan that it is armed for.
  void find_block() {
    auto *known = block("known");
    auto *otherwise = block("otherwise");
    auto *unmeasured = block("unmeasured");
    auto *armed = block("armed");
    auto *measured = block("measured");
    MDNode *likely = MDBuilder(context_).createLikelyBranchWeights();

    llvm::Value *usual_block = block_ = load_block();
    builder_.CreateCondBr(builder_.CreateIsNotNull(block_), known, otherwise, likely);
    builder_.SetInsertPoint(known);
    llvm::Value *usual_plan = load(builder_.getInt64Ty(), offsetof(core::RotationBlock, armed));
    auto *active = builder_.CreateAlignedLoad(builder_.getInt64Ty(),
                                              address_of(builder_, site_.plan), Align(8));
    active->setAtomic(AtomicOrdering::Acquire);
    builder_.CreateCondBr(builder_.CreateICmpEQ(usual_plan, active), measured, otherwise, likely);

    builder_.SetInsertPoint(otherwise);
    llvm::Value *plain = call_slow(slow_function("sartor.rotation.enter", builder_.getPtrTy(), {},
                                                 reinterpret_cast<const void *>(site_.enter)),
                                   {});
    builder_.CreateCondBr(builder_.CreateIsNull(plain), armed, unmeasured);
    builder_.SetInsertPoint(unmeasured);
    return_result(builder_, call_like(builder_, handler_, plain, arguments_, nullptr));
    builder_.SetInsertPoint(armed);
    llvm::Value *new_block = block_ = load_block();
    llvm::Value *new_plan = load(builder_.getInt64Ty(), offsetof(core::RotationBlock, armed));
    builder_.CreateBr(measured);

    builder_.SetInsertPoint(measured);
    const auto either = [&](llvm::Value *usual, llvm::Value *fresh) {
      PHINode *phi = builder_.CreatePHI(usual->getType(), 2);
      phi->addIncoming(usual, known);
      phi->addIncoming(fresh, armed);
      return phi;
    };
    block_ = either(usual_block, new_block);
    plan_ = either(usual_plan, new_plan);
  }

  void end_call() {
    llvm::Value *taken = builder_.CreateSub(time_stamp(kEnd, kEndRegisters), begin_);
    llvm::Value *ticks = builder_.CreateAdd(
        load(builder_.getInt64Ty(), offsetof(core::RotationBlock, ticks)), taken);
    store(ticks, offsetof(core::RotationBlock, ticks));
    llvm::Value *left = builder_.CreateSub(
        load(builder_.getInt64Ty(), offsetof(core::RotationBlock, left)), builder_.getInt64(1));
    store(left, offsetof(core::RotationBlock, left));
    llvm::Value *over = builder_.CreateOr(
        builder_.CreateICmpSLE(left, builder_.getInt64(0)),
        builder_.CreateICmpUGE(
            ticks, load(builder_.getInt64Ty(), offsetof(core::RotationBlock, most_ticks))));
    auto *next = block("next");
    auto *again = block("again");
    auto *done = block("done");
    builder_.CreateCondBr(over, next, again, MDBuilder(context_).createUnlikelyBranchWeights());
    builder_.SetInsertPoint(next);
    call_slow(slow_function("sartor.rotation.next", builder_.getVoidTy(), builder_.getPtrTy(),
                            reinterpret_cast<const void *>(site_.next)),
              block_);
    builder_.CreateBr(done);
    builder_.SetInsertPoint(again);
    store(plan_, offsetof(core::RotationBlock, armed));
    builder_.CreateBr(done);
    builder_.SetInsertPoint(done);
  }

  BasicBlock *unwinding() {
    const IRBuilder<>::InsertPointGuard guard(builder_);
    auto *unwound = block("unwound");
    builder_.SetInsertPoint(unwound);
    auto *exception =
        builder_.CreateLandingPad(StructType::get(builder_.getPtrTy(), builder_.getInt32Ty()), 0);
    exception->setCleanup(true);
    end_call();
    builder_.CreateResume(exception);
    return unwound;
  }

  /// Declares a function of Sartor that preserves the registers an ordinary call clobbers, so that
  /// the stub need not save them.
  Function *slow_function(const char *name, Type *result, ArrayRef<Type *> parameters,
                          const void *function) {
    Module &module = *stub_.getParent();
    if (Function *made = module.getFunction(name))
      return made;
    auto *slow = Function::Create(FunctionType::get(result, parameters, false),
                                  GlobalValue::InternalLinkage, name, module);
    slow->setCallingConv(CallingConv::PreserveMost);
    slow->addFnAttr(Attribute::NoInline);
    slow->addFnAttr(Attribute::Cold);
    slow->setDoesNotThrow();
    slow->setUWTableKind(UWTableKind::Default);
    IRBuilder<> builder(BasicBlock::Create(context_, "", slow));
    SmallVector<Type *> types{builder.getPtrTy()};
    SmallVector<llvm::Value *> values{address_of(builder, site_.rotation)};
    for (Argument &argument : slow->args()) {
      types.push_back(argument.getType());
      values.push_back(&argument);
    }
    CallInst *call = builder.CreateCall(FunctionType::get(result, types, false),
                                        address_of(builder, function), values);
    call->setDoesNotThrow();
    return_result(builder, call);
    return slow;
  }

  llvm::Value *call_slow(Function *slow, ArrayRef<llvm::Value *> values) {
    CallInst *call = builder_.CreateCall(slow, values);
    call->setCallingConv(slow->getCallingConv());
    call->setDoesNotThrow();
    return call;
  }

  Function &stub_;
  Function &handler_;
  const core::RotationSite &site_;
  LLVMContext &context_;
  IRBuilder<> builder_;
  SmallVector<llvm::Value *> arguments_;
  llvm::Value *block_ = nullptr;
  llvm::Value *plan_ = nullptr;
  llvm::Value *begin_ = nullptr;
};

} // namespace

std::string rotation_symbol(const std::string &handler) {
  return core::readable_name(handler) + " (rotation)";
}

Result<std::unique_ptr<Module>> rotation_stub(Function &handler, const core::RotationSite &site) {
  const std::string name = rotation_symbol(compiler::handler_name(handler));
  auto module = thunk_module(handler, name, {});
  if (module) {
    Function &stub = thunk_of(**module, name);
    if (handler.hasFnAttribute(Attribute::FnRetThunkExtern))
      stub.addFnAttr(Attribute::FnRetThunkExtern);
    StubBuilder(stub, handler, site).build();
  }
  return module;
}

} // namespace sartor::compiler
