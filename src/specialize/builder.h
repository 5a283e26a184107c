// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_SPECIALIZE_BUILDER_H
#define SARTOR_SPECIALIZE_BUILDER_H

#include <optional>
#include <vector>

#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>

#include <sartor/builder.hpp>

#include "observe/result.h"
#include "specialize/custom.h"

namespace sartor {

/// A wrapper being filled. Blocks have no names and nothing is kept for an operand, so that the
/// cost of an operation does not depend on how many there have been.
struct Builder::Impl {
  Impl(llvm::Function &function, const specialize::CustomPoint &custom_point,
       const specialize::Symbols &program_symbols);
  ~Impl();
  Impl(const Impl &) = delete;
  Impl &operator=(const Impl &) = delete;

  /// Keeps the first failure, and throws it.
  [[noreturn]] void fail(std::string message, std::string remedy,
                         ErrorCode code = ErrorCode::bad_generator);
  [[noreturn]] void fail(Failure why);

  static Impl &of(Builder &builder) { return *builder.impl_; }

  /// The IRBuilder, which must stand in a block that has not ended.
  llvm::IRBuilder<> &open();
  llvm::Value *value_of(Operand operand);
  llvm::Value *integer_of(Operand operand);
  llvm::Value *pointer_of(Operand operand);
  llvm::Value *condition_of(Operand operand);
  /// As an unsigned integer of 64 bits.
  llvm::Value *index_of(Operand operand);
  llvm::BasicBlock *block_of(Block block);
  llvm::Type *type_of(const PointType &type);
  /// As it lies in memory: a boolean takes a byte.
  llvm::Type *memory_type_of(const PointType &type);
  [[nodiscard]] Operand operand(llvm::Value *value, const PointType &type) const;
  void same_type(Operand a, Operand b);
  Operand binary(llvm::Instruction::BinaryOps integer, llvm::Instruction::BinaryOps floating,
                 Operand a, Operand b);
  Operand convert(Operand a, const PointType &type, llvm::Instruction::CastOps cast);
  Operand shift(llvm::Instruction::BinaryOps operation, Operand a, Operand count);
  /// The declaration, or what the module has already. Fails if nobody knows the symbol.
  llvm::Constant *symbol(const std::string &name, llvm::FunctionType *type);

  Operand call(llvm::FunctionCallee function, const std::optional<PointType> &returned,
               const std::vector<Operand> &given);
  llvm::FunctionType *signature(const std::optional<PointType> &returned,
                                const std::vector<Operand> &given);

  /// Checks what the generator has built. Fails with bad_generator, generated_invalid_ir.
  Result<void> finish();

  llvm::Function &wrapper;
  const specialize::CustomPoint &point;
  const specialize::Symbols &symbols;
  llvm::IRBuilder<> ir;
  llvm::CallInst *generic_call; ///< Copied for each call of the generic function. Owned.
  PointType result;
  std::vector<PointType> arguments;
  std::vector<std::uint64_t> promises;
  std::optional<Failure> failure;
  unsigned hidden = 0;
  std::uint64_t id; ///< No two builders of a process share one.
};

} // namespace sartor

#endif
