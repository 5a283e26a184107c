// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_FRONTEND_READ_SECTION_CODE_H
#define SARTOR_COMPILER_FRONTEND_READ_SECTION_CODE_H

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Intrinsics.h>

#include <sartor/read_section.hpp>

namespace sartor::compiler {

// Steps of read sections (sartor/read_section.hpp) as code of a function, which ReadSection
// performs in its constructor and destructor. Addresses are words.

/// The address of the function's return address.
inline llvm::Value *return_slot(llvm::IRBuilder<> &builder) {
  return builder.CreatePtrToInt(
      builder.CreateIntrinsic(llvm::Intrinsic::addressofreturnaddress, {builder.getPtrTy()}, {}),
      builder.getInt64Ty());
}

/// The caller's stack pointer: Reader::frame.
inline llvm::Value *caller_frame(llvm::IRBuilder<> &builder) {
  return builder.CreateAdd(return_slot(builder), builder.getInt64(sizeof(void *)));
}

/// The function's return address: Reader::place.
inline llvm::Value *return_place(llvm::IRBuilder<> &builder) {
  llvm::Value *address =
      builder.CreateIntrinsic(llvm::Intrinsic::returnaddress, {}, {builder.getInt32(0)});
  return builder.CreateOr(builder.CreatePtrToInt(address, builder.getInt64Ty()),
                          builder.getInt64(detail::kReturnAddress));
}

inline void store_word(llvm::IRBuilder<> &builder, llvm::Value *value, llvm::Value *address) {
  builder.CreateAlignedStore(value, address, llvm::Align(8))
      ->setAtomic(llvm::AtomicOrdering::Monotonic);
}

/// A fence for the compiler; membarrier() in the waiting thread does the rest.
inline void keep_order(llvm::IRBuilder<> &builder) {
  builder.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent, llvm::SyncScope::SingleThread);
}

} // namespace sartor::compiler

#endif
