// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/entry_function.h"

#include <cstddef>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/MDBuilder.h>

#include <sartor/read_section.hpp>

#include "jit/thunk.h"
#include "point/parameters.h"
#include "point/prepare.h"
#include "point/readable_name.h"

namespace sartor::jit {

using namespace llvm;

namespace {

// libsartor reaches liburcu's thread-local variable by the initial-exec model, so the dynamic
// linker has given it a fixed place relative to the thread pointer.
std::ptrdiff_t reader_offset() {
  const auto *here = reinterpret_cast<const char *>(&detail::urcu_reader);
  return here - static_cast<const char *>(__builtin_thread_pointer());
}

/// Writes the body. With sys_membarrier, liburcu's read side is a load, a test and a store;
/// without, its own functions are called.
class EntryBuilder {
public:
  EntryBuilder(Function &entry, Function &handler, const void *target,
               const point::FixedArguments &fixed)
      : entry_(entry), handler_(handler), fixed_(fixed), target_(target),
        context_(entry.getContext()), builder_(BasicBlock::Create(context_, "", &entry)),
        inlined_(detail::urcu_has_membarrier != 0) {}

  void build() {
    enter();
    auto *code =
        builder_.CreateAlignedLoad(builder_.getPtrTy(), address_of(builder_, target_), Align(8));
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
      else if (known->second.is_in_memory) // of which the call makes a copy
        arguments.push_back(point::make_contents(*entry_.getParent(), known->second, parameter));
      else
        arguments.push_back(known->second.value);
    return arguments;
  }

  llvm::Value *load_reader() {
    return builder_.CreateLoad(builder_.getPtrTy(), thread_address(builder_, reader_offset()),
                               /*isVolatile=*/true);
  }

  LoadInst *load_word(llvm::Value *address) {
    auto *load = builder_.CreateAlignedLoad(builder_.getInt64Ty(), address, Align(8));
    load->setAtomic(AtomicOrdering::Monotonic);
    return load;
  }

  void store_word(llvm::Value *value, llvm::Value *address) {
    builder_.CreateAlignedStore(value, address, Align(8))->setAtomic(AtomicOrdering::Monotonic);
    builder_.CreateFence(AtomicOrdering::SequentiallyConsistent, SyncScope::SingleThread);
  }

  void call_urcu(void (*function)()) {
    builder_
        .CreateCall(FunctionType::get(builder_.getVoidTy(), false),
                    address_of(builder_, reinterpret_cast<const void *>(function)))
        ->setDoesNotThrow();
  }

  // As _urcu_bp_read_lock(), for the case that the thread is known and in no section yet; otherwise
  // liburcu's own function.
  void enter() {
    if (!inlined_)
      return call_urcu(urcu_bp_read_lock);
    auto *known = BasicBlock::Create(context_, "", &entry_);
    auto *outermost = BasicBlock::Create(context_, "", &entry_);
    auto *otherwise = BasicBlock::Create(context_, "", &entry_);
    auto *entered = BasicBlock::Create(context_, "", &entry_);
    MDNode *likely = MDBuilder(context_).createLikelyBranchWeights();

    llvm::Value *reader = load_reader();
    builder_.CreateCondBr(builder_.CreateIsNotNull(reader), known, otherwise, likely);
    builder_.SetInsertPoint(known);
    llvm::Value *nesting =
        builder_.CreateAnd(load_word(reader), builder_.getInt64(detail::kUrcuNestingMask));
    builder_.CreateCondBr(builder_.CreateIsNull(nesting), outermost, otherwise, likely);
    builder_.SetInsertPoint(outermost);
    store_word(load_word(address_of(builder_, &detail::urcu_grace_period.counter)), reader);
    builder_.CreateBr(entered);
    builder_.SetInsertPoint(otherwise);
    call_urcu(urcu_bp_read_lock);
    builder_.CreateBr(entered);
    builder_.SetInsertPoint(entered);
  }

  void leave() {
    if (!inlined_)
      return call_urcu(urcu_bp_read_unlock);
    builder_.CreateFence(AtomicOrdering::SequentiallyConsistent, SyncScope::SingleThread);
    llvm::Value *reader = load_reader();
    store_word(builder_.CreateSub(load_word(reader), builder_.getInt64(1)), reader);
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
  const point::FixedArguments &fixed_;
  const void *target_;
  LLVMContext &context_;
  IRBuilder<> builder_;
  bool inlined_;
};

} // namespace

std::string entry_symbol(const std::string &handler) {
  return point::readable_name(handler) + " (entry)";
}

Result<std::unique_ptr<Module>> entry_function(Function &handler, const void *target,
                                               const std::map<unsigned, BoundArgument> &bound) {
  const std::string name = entry_symbol(point::handler_name(handler));
  const auto fixed = point::fixed_arguments(handler, bound);
  auto module = thunk_module(handler, name, fixed);
  if (module)
    EntryBuilder(thunk_of(**module, name), handler, target, fixed).build();
  return module;
}

} // namespace sartor::jit
