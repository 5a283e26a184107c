// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_SPECIALIZE_COUNT_CODE_H
#define SARTOR_COMPILER_SPECIALIZE_COUNT_CODE_H

#include <vector>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

#include "core/profile/store.h"

namespace sartor::compiler {

/// Replaces an instruction by code that counts a record in the calling thread's block:
///
///     block = thread's table[store]        none yet: core::record()
///     sampled:   if (--gap >= 0) skip      otherwise: core::record()
///     counters:  ++counter[value - low]    or the one for other values
///     sketch:    if the record's home slot holds it, ++count; otherwise: core::record()
///
/// The inlined code clobbers no register of the surrounding code: it calls a function that saves
/// all registers.
class CountCode {
public:
  CountCode(const core::Counters &counters, unsigned place, std::uint32_t every,
            llvm::Instruction &replaced);

  void write(llvm::ArrayRef<llvm::Value *> words);

private:
  llvm::Value *load(llvm::Type *type, llvm::Value *address);
  void increment(llvm::Value *address, std::int64_t by, llvm::Value **result = nullptr);
  llvm::Value *at(llvm::Value *base, std::size_t offset);
  llvm::Value *find_block();
  void count_down(llvm::Value *block);
  void count_value(llvm::Value *block, llvm::Value *value);
  void count_record(llvm::Value *block, llvm::ArrayRef<llvm::Value *> words);
  void branch(llvm::Value *condition, llvm::BasicBlock *rarely, const char *name);

  const core::Counters &counters_;
  const core::PointPlace &place_;
  std::uint32_t every_;
  std::uint64_t id_;
  llvm::Instruction &replaced_;
  llvm::BasicBlock *after_;
  llvm::BasicBlock *slow_;
  llvm::IRBuilder<> builder_;
};

} // namespace sartor::compiler

#endif
