// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_PLUGIN_DIRECT_BUILDER_H
#define SARTOR_COMPILER_PLUGIN_DIRECT_BUILDER_H

#include <cstddef>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/MDBuilder.h>

#include <sartor/module.h>
#include <sartor/read_section.hpp>

#include "direct_stub.h"

namespace sartor::compiler {

/// The building blocks of functions on the path of a direct call: each has the handler's type and
/// accesses a thread's read sections (sartor/read_section.hpp).
class DirectBuilder {
public:
  DirectBuilder(llvm::Function &function, const DirectHandler &handler)
      : function_(function), handler_(handler), context_(function.getContext()), builder_(block()),
        likely_(llvm::MDBuilder(context_).createLikelyBranchWeights()) {}

protected:
  llvm::BasicBlock *block() { return llvm::BasicBlock::Create(context_, "", &function_); }
  void go_on_in(llvm::BasicBlock *block) { builder_.SetInsertPoint(block); }
  void branch(llvm::Value *condition, llvm::BasicBlock *usual, llvm::BasicBlock *otherwise) {
    builder_.CreateCondBr(condition, usual, otherwise, likely_);
  }

  static llvm::Value *at(llvm::IRBuilder<> &builder, llvm::Value *object, std::size_t offset) {
    return builder.CreateConstGEP1_64(builder.getInt8Ty(), object, offset);
  }
  llvm::Value *field(llvm::Value *reader, std::size_t offset) {
    return at(builder_, reader, offset);
  }
  llvm::Constant *lead(std::size_t offset) {
    return llvm::ConstantExpr::getGetElementPtr(builder_.getInt8Ty(), &handler_.lead,
                                                builder_.getInt64(offset));
  }

  // Volatile, because other threads change the memory and passes must not assume more.
  llvm::LoadInst *load(llvm::Type *type, llvm::Value *address) {
    return builder_.CreateAlignedLoad(type, address, llvm::Align(8), /*isVolatile=*/true);
  }
  llvm::LoadInst *load_word(llvm::Value *address) {
    llvm::LoadInst *word = load(builder_.getInt64Ty(), address);
    word->setAtomic(llvm::AtomicOrdering::Monotonic);
    return word;
  }
  // A plain load, so that it can become an operand of the jump: a compiler fence keeps it in place,
  // and x86-64 does not reorder loads.
  llvm::Value *load_code() {
    keep_order();
    return builder_.CreateAlignedLoad(builder_.getPtrTy(), lead(offsetof(sartor_direct, code)),
                                      llvm::Align(8));
  }
  llvm::Value *load_reader(llvm::Value *distance) {
    return load(
        builder_.getPtrTy(),
        builder_.CreateIntToPtr(distance, llvm::PointerType::get(context_, kThreadAddressSpace)));
  }
  void store_word(llvm::Value *value, llvm::Value *address) {
    builder_.CreateAlignedStore(value, address, llvm::Align(8))
        ->setAtomic(llvm::AtomicOrdering::Monotonic);
  }
  void keep_order() {
    builder_.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent,
                         llvm::SyncScope::SingleThread);
  }

  llvm::Value *is_at_rest(llvm::Value *reader) {
    llvm::LoadInst *nesting =
        builder_.CreateAlignedLoad(builder_.getInt32Ty(), reader, llvm::Align(4));
    nesting->setAtomic(llvm::AtomicOrdering::Monotonic);
    return builder_.CreateIsNull(nesting); // lower half of the word
  }

  // True if this frame and the outermost section's are on the thread's own stack, this one below
  // the other.
  llvm::Value *is_below_outermost(llvm::Value *reader) {
    llvm::Value *outermost = load_word(field(reader, offsetof(detail::Reader, frame)));
    llvm::Value *low = load_word(field(reader, offsetof(detail::Reader, stack)));
    llvm::Value *high = load_word(field(reader, offsetof(detail::Reader, stack_end)));
    llvm::Value *here = frame();
    return builder_.CreateAnd({builder_.CreateICmpUGE(here, low),
                               builder_.CreateICmpULT(here, outermost),
                               builder_.CreateICmpULT(outermost, high)});
  }

  llvm::Value *return_slot() {
    return builder_.CreatePtrToInt(builder_.CreateIntrinsic(llvm::Intrinsic::addressofreturnaddress,
                                                            {builder_.getPtrTy()}, {}),
                                   builder_.getInt64Ty());
  }
  // Returns the caller's stack pointer.
  llvm::Value *frame() {
    return builder_.CreateAdd(return_slot(), builder_.getInt64(sizeof(void *)));
  }

  // Returns the return address.
  llvm::Value *place() {
    llvm::Value *address =
        builder_.CreateIntrinsic(llvm::Intrinsic::returnaddress, {}, {builder_.getInt32(0)});
    return builder_.CreateOr(builder_.CreatePtrToInt(address, builder_.getInt64Ty()),
                             builder_.getInt64(detail::kReturnAddress));
  }

  // begin_word() and leave() perform the same steps as ReadSection.
  void begin_word(llvm::Value *reader) {
    llvm::LoadInst *epoch =
        load_word(load(builder_.getPtrTy(), lead(offsetof(sartor_direct, epoch))));
    epoch->setAtomic(llvm::AtomicOrdering::Acquire);
    store_word(epoch, reader);
    keep_order();
  }
  void leave(llvm::Value *reader) {
    builder_
        .CreateAlignedStore(builder_.CreateSub(load_word(reader), builder_.getInt64(1)), reader,
                            llvm::Align(8))
        ->setAtomic(llvm::AtomicOrdering::Release);
  }

  // Ends the outermost section after the sections within it have ended.
  void end(llvm::Value *reader) {
    store_word(builder_.getInt64(detail::kUnknownFrame),
               field(reader, offsetof(detail::Reader, frame)));
    keep_order();
    builder_.CreateAlignedStore(builder_.getInt32(0), reader, llvm::Align(4))
        ->setAtomic(llvm::AtomicOrdering::Release);
  }

  void call_enter() {
    auto *type = llvm::FunctionType::get(builder_.getPtrTy(),
                                         {builder_.getInt64Ty(), builder_.getInt64Ty()}, false);
    builder_
        .CreateCall(type, load(builder_.getPtrTy(), lead(offsetof(sartor_direct, enter))),
                    {frame(), place()})
        ->setDoesNotThrow();
  }
  void call_leave() {
    builder_
        .CreateCall(llvm::FunctionType::get(builder_.getVoidTy(), false),
                    load(builder_.getPtrTy(), lead(offsetof(sartor_direct, leave))))
        ->setDoesNotThrow();
  }

  llvm::SmallVector<llvm::Value *> arguments() {
    return {llvm::make_pointer_range(function_.args()).begin(),
            llvm::make_pointer_range(function_.args()).end()};
  }

  template <class Call> Call *like_the_handler(Call *call) {
    call->setCallingConv(function_.getCallingConv());
    call->setAttributes(function_.getAttributes().removeFnAttributes(context_));
    return call;
  }

  // Generates the call; control continues after its return.
  llvm::CallBase *call_within() {
    llvm::FunctionType *type = function_.getFunctionType();
    llvm::Value *code = load_code();
    if (function_.doesNotThrow())
      return like_the_handler(builder_.CreateCall(type, code, arguments()));
    llvm::BasicBlock *after = block();
    llvm::BasicBlock *unwound = block();
    llvm::InvokeInst *call =
        like_the_handler(builder_.CreateInvoke(type, code, after, unwound, arguments()));
    go_on_in(unwound);
    auto *exception = builder_.CreateLandingPad(
        llvm::StructType::get(builder_.getPtrTy(), builder_.getInt32Ty()), 0);
    exception->setCleanup(true);
    call_leave();
    builder_.CreateResume(exception);
    go_on_in(after);
    return call;
  }

  void jump(llvm::Value *code) {
    llvm::CallInst *call =
        like_the_handler(builder_.CreateCall(function_.getFunctionType(), code, arguments()));
    call->setTailCallKind(llvm::CallInst::TCK_MustTail);
    return_result(call);
  }

  void return_result(llvm::CallBase *call) {
    if (call->getType()->isVoidTy())
      builder_.CreateRetVoid();
    else
      builder_.CreateRet(call);
  }

  llvm::Function &function_;
  const DirectHandler &handler_;
  llvm::LLVMContext &context_;
  llvm::IRBuilder<> builder_;
  llvm::MDNode *likely_;

private:
  // On x86, memory addressed relative to the thread pointer.
  static constexpr unsigned kThreadAddressSpace = 257;
};

} // namespace sartor::compiler

#endif
