// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "direct_stub.h"

#include <cstddef>

#include <llvm/IR/EHPersonalities.h>
#include <llvm/IR/Module.h>

#include "compiler/frontend/llvm_version.h"
#include "direct_builder.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

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
      store_word(builder_.getInt64(0), field(reader, offsetof(detail::Reader, place)));
      store_word(return_slot(), field(reader, offsetof(detail::Reader, frame)));
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
    store_word(place(), field(reader, offsetof(detail::Reader, place)));
    store_word(frame(), field(reader, offsetof(detail::Reader, frame)));
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
    store_word(builder_.getInt64(detail::kUnknownFrame),
               field(begun, offsetof(detail::Reader, frame)));
    keep_order();
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
    branch(builder_.CreateICmpEQ(load_word(frame), return_slot()), mine, otherwise);
    go_on_in(mine);
    end(reader);
    builder_.CreateBr(left);
    go_on_in(otherwise);
    branch(builder_.CreateICmpEQ(load_word(before), return_slot()), within, left);
    go_on_in(within);
    store_word(builder_.getInt64(0), before);
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
