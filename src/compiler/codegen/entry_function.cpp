// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/entry_function.h"

#include <cstddef>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/MDBuilder.h>

#include <sartor/read_section.hpp>

#include "compiler/codegen/thunk.h"
#include "compiler/frontend/marks/parameters.h"
#include "compiler/frontend/prepare.h"
#include "compiler/frontend/read_section_code.h"
#include "core/compiler/entry_symbols.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

/// Generates the body of an entry function.
class EntryBuilder {
public:
  EntryBuilder(Function &entry, Function &handler, const FixedArguments &fixed, bool inlined)
      : entry_(entry), handler_(handler), fixed_(fixed), context_(entry.getContext()),
        builder_(BasicBlock::Create(context_, "", &entry)), inlined_(inlined) {}

  void build() {
    enter();
    auto *code =
        builder_.CreateAlignedLoad(builder_.getPtrTy(), symbol(core::kEntryTarget), Align(8));
    code->setAtomic(AtomicOrdering::Acquire);
    CallBase *call = call_like(builder_, handler_, code, all_arguments(),
                               entry_.doesNotThrow() ? nullptr : unwinding());
    leave();
    return_result(builder_, call);
  }

private:
  SmallVector<llvm::Value *> all_arguments() {
    SmallVector<llvm::Value *> arguments;
    auto *own = entry_.arg_begin();
    for (const Argument &parameter : handler_.args())
      if (auto known = fixed_.find(parameter.getArgNo()); known == fixed_.end())
        arguments.push_back(own++);
      else if (known->second.is_in_memory) // the call copies it
        arguments.push_back(compiler::make_contents(*entry_.getParent(), known->second, parameter));
      else
        arguments.push_back(known->second.value);
    return arguments;
  }

  // Returns a symbol that may have any address: the code reads the address from its own table.
  Constant *symbol(const char *name) {
    return entry_.getParent()->getOrInsertGlobal(name, builder_.getInt8Ty());
  }

  llvm::Value *load_reader() {
    return builder_.CreateLoad(builder_.getPtrTy(), thread_address(symbol(core::kEntryReader)),
                               /*isVolatile=*/true);
  }

  llvm::Value *field(llvm::Value *reader, std::size_t offset) {
    return builder_.CreateConstGEP1_64(builder_.getInt8Ty(), reader, offset);
  }

  LoadInst *load_word(llvm::Value *address) {
    auto *load = builder_.CreateAlignedLoad(builder_.getInt64Ty(), address, Align(8));
    load->setAtomic(AtomicOrdering::Monotonic);
    return load;
  }

  llvm::Value *is_outermost(llvm::Value *word) {
    return builder_.CreateIsNull(builder_.CreateAnd(word, builder_.getInt64(detail::kNesting)));
  }

  void call_enter(llvm::Value *frame) {
    auto *type = FunctionType::get(builder_.getPtrTy(),
                                   {builder_.getInt64Ty(), builder_.getInt64Ty()}, false);
    builder_.CreateCall(type, symbol(core::kEntryEnter), {frame, return_place(builder_)})
        ->setDoesNotThrow();
  }

  void call_leave() {
    builder_.CreateCall(FunctionType::get(builder_.getVoidTy(), false), symbol(core::kEntryLeave))
        ->setDoesNotThrow();
  }

  BasicBlock *block() { return BasicBlock::Create(context_, "", &entry_); }

  // Generates the same steps as ReadSection's constructor.
  void enter() {
    llvm::Value *frame = caller_frame(builder_);
    if (!inlined_)
      return call_enter(frame);
    BasicBlock *known = block();
    BasicBlock *outermost = block();
    BasicBlock *within = block();
    BasicBlock *deeper = block();
    BasicBlock *otherwise = block();
    BasicBlock *entered = block();
    MDNode *likely = MDBuilder(context_).createLikelyBranchWeights();

    llvm::Value *reader = load_reader();
    builder_.CreateCondBr(builder_.CreateIsNotNull(reader), known, otherwise, likely);
    builder_.SetInsertPoint(known);
    llvm::Value *word = load_word(reader);
    builder_.CreateCondBr(is_outermost(word), outermost, within, likely);
    builder_.SetInsertPoint(outermost);
    auto *epoch = load_word(symbol(core::kEntryEpoch));
    epoch->setAtomic(AtomicOrdering::Acquire);
    store_word(builder_, epoch, reader);
    keep_order(builder_);
    store_word(builder_, return_place(builder_), field(reader, offsetof(detail::Reader, place)));
    store_word(builder_, frame, field(reader, offsetof(detail::Reader, frame)));
    builder_.CreateBr(entered);
    builder_.SetInsertPoint(within);
    llvm::Value *stack = load_word(field(reader, offsetof(detail::Reader, stack)));
    llvm::Value *outer = load_word(field(reader, offsetof(detail::Reader, frame)));
    builder_.CreateCondBr(builder_.CreateAnd(builder_.CreateICmpUGE(frame, stack),
                                             builder_.CreateICmpULT(frame, outer)),
                          deeper, otherwise, likely);
    builder_.SetInsertPoint(deeper);
    store_word(builder_, builder_.CreateAdd(word, builder_.getInt64(1)), reader);
    keep_order(builder_);
    builder_.CreateBr(entered);
    builder_.SetInsertPoint(otherwise);
    call_enter(frame);
    builder_.CreateBr(entered);
    builder_.SetInsertPoint(entered);
  }

  // Generates the same steps as ReadSection's destructor.
  void leave() {
    if (!inlined_)
      return call_leave();
    BasicBlock *outermost = block();
    BasicBlock *left = block();
    llvm::Value *reader = load_reader();
    llvm::Value *word = builder_.CreateSub(load_word(reader), builder_.getInt64(1));
    builder_.CreateCondBr(is_outermost(word), outermost, left,
                          MDBuilder(context_).createLikelyBranchWeights());
    builder_.SetInsertPoint(outermost);
    store_word(builder_, builder_.getInt64(detail::kUnknownFrame),
               field(reader, offsetof(detail::Reader, frame)));
    keep_order(builder_);
    builder_.CreateBr(left);
    builder_.SetInsertPoint(left);
    builder_.CreateAlignedStore(word, reader, Align(8))->setAtomic(AtomicOrdering::Release);
  }

  BasicBlock *unwinding() {
    const IRBuilder<>::InsertPointGuard guard(builder_);
    auto *block = BasicBlock::Create(context_, "", &entry_);
    builder_.SetInsertPoint(block);
    auto *exception =
        builder_.CreateLandingPad(StructType::get(builder_.getPtrTy(), builder_.getInt32Ty()), 0);
    exception->setCleanup(true);
    leave();
    builder_.CreateResume(exception);
    return block;
  }

  Function &entry_;
  Function &handler_;
  const FixedArguments &fixed_;
  LLVMContext &context_;
  IRBuilder<> builder_;
  bool inlined_;
};

} // namespace

Result<std::unique_ptr<Module>>
entry_function(Function &handler, const std::map<unsigned, BoundArgument> &bound, bool inlined) {
  const std::string name = core::entry_symbol(compiler::handler_name(handler));
  const auto fixed = compiler::fixed_arguments(handler, bound);
  auto module = thunk_module(handler, name, fixed);
  if (module)
    EntryBuilder(thunk_of(**module, name), handler, fixed, inlined).build();
  return module;
}

} // namespace sartor::compiler
