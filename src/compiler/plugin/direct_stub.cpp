// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/plugin/direct_stub.h"

#include <cstddef>

#include <llvm/IR/EHPersonalities.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>

#include <sartor/module.h>
#include <sartor/read_section.hpp>

#include "compiler/frontend/llvm_version.h"
#include "compiler/frontend/read_section_code.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

/// The building blocks of functions on the path of a direct call: each has the handler's type and
/// accesses a thread's read sections (sartor/read_section.hpp).
class DirectBuilder {
public:
  DirectBuilder(Function &function, const DirectHandler &handler)
      : function_(function), handler_(handler), context_(function.getContext()), builder_(block()),
        likely_(MDBuilder(context_).createLikelyBranchWeights()) {}

protected:
  BasicBlock *block() { return BasicBlock::Create(context_, "", &function_); }
  void go_on_in(BasicBlock *block) { builder_.SetInsertPoint(block); }
  void branch(llvm::Value *condition, BasicBlock *usual, BasicBlock *otherwise) {
    builder_.CreateCondBr(condition, usual, otherwise, likely_);
  }

  static llvm::Value *at(IRBuilder<> &builder, llvm::Value *object, std::size_t offset) {
    return builder.CreateConstGEP1_64(builder.getInt8Ty(), object, offset);
  }
  llvm::Value *field(llvm::Value *reader, std::size_t offset) {
    return at(builder_, reader, offset);
  }
  Constant *lead(std::size_t offset) {
    return ConstantExpr::getGetElementPtr(builder_.getInt8Ty(), &handler_.lead,
                                          builder_.getInt64(offset));
  }

  // Volatile, because other threads change the memory and passes must not assume more.
  LoadInst *load(Type *type, llvm::Value *address) {
    return builder_.CreateAlignedLoad(type, address, Align(8), /*isVolatile=*/true);
  }
  LoadInst *load_word(llvm::Value *address) {
    LoadInst *word = load(builder_.getInt64Ty(), address);
    word->setAtomic(AtomicOrdering::Monotonic);
    return word;
  }
  // A plain load, so that it can become an operand of the jump: a compiler fence keeps it in place,
  // and x86-64 does not reorder loads.
  llvm::Value *load_code() {
    keep_order(builder_);
    return builder_.CreateAlignedLoad(builder_.getPtrTy(), lead(offsetof(sartor_direct, code)),
                                      Align(8));
  }
  llvm::Value *load_reader(llvm::Value *distance) {
    return load(builder_.getPtrTy(),
                builder_.CreateIntToPtr(distance, PointerType::get(context_, kThreadAddressSpace)));
  }
  llvm::Value *is_at_rest(llvm::Value *reader) {
    LoadInst *nesting = builder_.CreateAlignedLoad(builder_.getInt32Ty(), reader, Align(4));
    nesting->setAtomic(AtomicOrdering::Monotonic);
    return builder_.CreateIsNull(nesting); // lower half of the word
  }

  // True if this frame and the outermost section's are on the thread's own stack, this one below
  // the other.
  llvm::Value *is_below_outermost(llvm::Value *reader) {
    llvm::Value *outermost = load_word(field(reader, offsetof(detail::Reader, frame)));
    llvm::Value *low = load_word(field(reader, offsetof(detail::Reader, stack)));
    llvm::Value *high = load_word(field(reader, offsetof(detail::Reader, stack_end)));
    llvm::Value *here = caller_frame(builder_);
    return builder_.CreateAnd({builder_.CreateICmpUGE(here, low),
                               builder_.CreateICmpULT(here, outermost),
                               builder_.CreateICmpULT(outermost, high)});
  }

  // begin_word() and leave() perform the same steps as ReadSection.
  void begin_word(llvm::Value *reader) {
    LoadInst *epoch = load_word(load(builder_.getPtrTy(), lead(offsetof(sartor_direct, epoch))));
    epoch->setAtomic(AtomicOrdering::Acquire);
    store_word(builder_, epoch, reader);
    keep_order(builder_);
  }
  void leave(llvm::Value *reader) {
    builder_
        .CreateAlignedStore(builder_.CreateSub(load_word(reader), builder_.getInt64(1)), reader,
                            Align(8))
        ->setAtomic(AtomicOrdering::Release);
  }

  // Ends the outermost section after the sections within it have ended.
  void end(llvm::Value *reader) {
    store_word(builder_, builder_.getInt64(detail::kUnknownFrame),
               field(reader, offsetof(detail::Reader, frame)));
    keep_order(builder_);
    builder_.CreateAlignedStore(builder_.getInt32(0), reader, Align(4))
        ->setAtomic(AtomicOrdering::Release);
  }

  void call_enter() {
    auto *type = FunctionType::get(builder_.getPtrTy(),
                                   {builder_.getInt64Ty(), builder_.getInt64Ty()}, false);
    builder_
        .CreateCall(type, load(builder_.getPtrTy(), lead(offsetof(sartor_direct, enter))),
                    {caller_frame(builder_), return_place(builder_)})
        ->setDoesNotThrow();
  }
  void call_leave() {
    builder_
        .CreateCall(FunctionType::get(builder_.getVoidTy(), false),
                    load(builder_.getPtrTy(), lead(offsetof(sartor_direct, leave))))
        ->setDoesNotThrow();
  }

  SmallVector<llvm::Value *> arguments() {
    return {make_pointer_range(function_.args()).begin(),
            make_pointer_range(function_.args()).end()};
  }

  template <class Call> Call *like_the_handler(Call *call) {
    call->setCallingConv(function_.getCallingConv());
    call->setAttributes(function_.getAttributes().removeFnAttributes(context_));
    return call;
  }

  // Generates the call; control continues after its return.
  CallBase *call_within() {
    FunctionType *type = function_.getFunctionType();
    llvm::Value *code = load_code();
    if (function_.doesNotThrow())
      return like_the_handler(builder_.CreateCall(type, code, arguments()));
    BasicBlock *after = block();
    BasicBlock *unwound = block();
    InvokeInst *call =
        like_the_handler(builder_.CreateInvoke(type, code, after, unwound, arguments()));
    go_on_in(unwound);
    auto *exception =
        builder_.CreateLandingPad(StructType::get(builder_.getPtrTy(), builder_.getInt32Ty()), 0);
    exception->setCleanup(true);
    call_leave();
    builder_.CreateResume(exception);
    go_on_in(after);
    return call;
  }

  void jump(llvm::Value *code) {
    CallInst *call =
        like_the_handler(builder_.CreateCall(function_.getFunctionType(), code, arguments()));
    call->setTailCallKind(CallInst::TCK_MustTail);
    return_result(call);
  }

  void return_result(CallBase *call) {
    if (call->getType()->isVoidTy())
      builder_.CreateRetVoid();
    else
      builder_.CreateRet(call);
  }

  Function &function_;
  const DirectHandler &handler_;
  LLVMContext &context_;
  IRBuilder<> builder_;
  MDNode *likely_;

private:
  // On x86, memory addressed relative to the thread pointer.
  static constexpr unsigned kThreadAddressSpace = 257;
};

/// Generates functions with the handler's type.
class Writer : DirectBuilder {
public:
  using DirectBuilder::DirectBuilder;

  /// Writes the stub, which every call passes through.
  void write_ways(Function &within, Function &with_frame, bool in_place) {
    BasicBlock *led = block();
    BasicBlock *native = block();
    BasicBlock *outermost = block();
    BasicBlock *otherwise = block();

    llvm::Value *active = load_word(lead(offsetof(sartor_direct, active)));
    branch(builder_.CreateIsNotNull(active), led, native);
    go_on_in(native);
    jump(&handler_.native);
    go_on_in(led);
    llvm::Value *reader = load_reader(active);
    branch(is_at_rest(reader), outermost, otherwise);
    go_on_in(outermost);
    if (in_place) {
      begin_word(reader);
      store_word(builder_, builder_.getInt64(0), field(reader, offsetof(detail::Reader, place)));
      store_word(builder_, return_slot(builder_), field(reader, offsetof(detail::Reader, frame)));
      jump(load_code());
    } else {
      jump(&with_frame);
    }
    go_on_in(otherwise);
    jump(&within);
  }

  /// Writes the path for calls within another section.
  void write_within(Function &with_frame) {
    BasicBlock *inside = block();
    BasicBlock *otherwise = block();
    branch(is_below_outermost(load_reader(load_word(&handler_.reader))), inside, otherwise);
    go_on_in(inside);
    jump(load_code());
    go_on_in(otherwise);
    jump(&with_frame);
  }

  /// Writes the path with a frame that ends the section.
  void write_frame() {
    BasicBlock *outermost = block();
    BasicBlock *otherwise = block();
    BasicBlock *entered = block();
    BasicBlock *plainly = block();
    BasicBlock *by_call = block();
    BasicBlock *done = block();

    llvm::Value *reader = load_reader(load_word(&handler_.reader));
    branch(is_at_rest(reader), outermost, otherwise);
    go_on_in(outermost);
    begin_word(reader);
    store_word(builder_, return_place(builder_), field(reader, offsetof(detail::Reader, place)));
    store_word(builder_, caller_frame(builder_), field(reader, offsetof(detail::Reader, frame)));
    builder_.CreateBr(entered);
    go_on_in(otherwise);
    call_enter();
    builder_.CreateBr(entered);
    go_on_in(entered);
    PHINode *begun = builder_.CreatePHI(builder_.getPtrTy(), 2); // null if enter() began it
    begun->addIncoming(reader, outermost);
    begun->addIncoming(ConstantPointerNull::get(builder_.getPtrTy()), otherwise);
    CallBase *call = call_within();
    branch(builder_.CreateIsNotNull(begun), plainly, by_call);
    go_on_in(plainly);
    store_word(builder_, builder_.getInt64(detail::kUnknownFrame),
               field(begun, offsetof(detail::Reader, frame)));
    keep_order(builder_);
    leave(begun);
    builder_.CreateBr(done);
    go_on_in(by_call);
    call_leave();
    builder_.CreateBr(done);
    go_on_in(done);
    return_result(call);
  }

  void write_way_out() {
    BasicBlock *mine = block();
    BasicBlock *otherwise = block();
    BasicBlock *within = block();
    BasicBlock *left = block();
    llvm::Value *reader = load_reader(load_word(&handler_.reader));
    llvm::Value *frame = field(reader, offsetof(detail::Reader, frame));
    llvm::Value *before = field(reader, offsetof(detail::Reader, frame_before));
    branch(builder_.CreateICmpEQ(load_word(frame), return_slot(builder_)), mine, otherwise);
    go_on_in(mine);
    end(reader);
    builder_.CreateBr(left);
    go_on_in(otherwise);
    branch(builder_.CreateICmpEQ(load_word(before), return_slot(builder_)), within, left);
    go_on_in(within);
    store_word(builder_, builder_.getInt64(0), before);
    leave(reader);
    builder_.CreateBr(left);
    go_on_in(left);
    jump(&handler_.native);
  }

  void write_jump() { jump(load(builder_.getPtrTy(), lead(offsetof(sartor_direct, code)))); }
};

// Returns a personality function that supports cleanups.
Constant *personality_for(Function &native) {
  if (native.hasPersonalityFn())
    return native.getPersonalityFn();
  Module &module = *native.getParent();
  const EHPersonality usual = getDefaultEHPersonality(triple_of(module));
  auto *type = FunctionType::get(Type::getInt32Ty(module.getContext()), /*isVarArg=*/true);
  return cast<Constant>(module.getOrInsertFunction(getEHPersonalityName(usual), type).getCallee());
}

Function &part_of(Function &stub, const char *suffix) {
  auto *part = Function::Create(stub.getFunctionType(), GlobalValue::InternalLinkage,
                                stub.getName() + suffix, stub.getParent());
  part->copyAttributesFrom(&stub);
  part->setLinkage(GlobalValue::InternalLinkage);
  part->setVisibility(GlobalValue::DefaultVisibility);
  part->setDSOLocal(true);
  part->setComdat(stub.getComdat());
  return *part;
}

} // namespace

void write_opaque_stub(const DirectHandler &handler) { Writer(handler.stub, handler).write_jump(); }

void write_stub(const DirectHandler &handler, bool in_place) {
  Function &stub = handler.stub;
  if (handler.native.doesNotThrow())
    stub.setDoesNotThrow();
  Function &with_frame = part_of(stub, ".sartor.frame");
  if (!stub.doesNotThrow())
    with_frame.setPersonalityFn(personality_for(handler.native));
  Writer(with_frame, handler).write_frame();
  stub.removeFnAttr("frame-pointer");
  Function &within =
      part_of(stub, ".sartor.within"); // in functions of its own, to prevent merging of the jumps
  Writer(within, handler).write_within(with_frame);
  Writer(stub, handler).write_ways(within, with_frame, in_place);
}

void write_way_out(Function &out, const DirectHandler &handler) {
  Writer(out, handler).write_way_out();
}

} // namespace sartor::compiler
