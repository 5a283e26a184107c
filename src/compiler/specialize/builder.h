// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_SPECIALIZE_BUILDER_H
#define SARTOR_COMPILER_SPECIALIZE_BUILDER_H

#include <optional>
#include <vector>

#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>

#include "base/result.h"
#include "compiler/specialize/custom.h"
#include "core/compiler/builder_back.h"

namespace sartor {

/// A wrapper whose body is being built. Blocks have no names and nothing is stored per operand, so
/// that the cost of an operation does not depend on the number of earlier ones.
struct LlvmBack final : Builder::Impl {
  LlvmBack(llvm::Function &function, const compiler::CustomPoint &custom_point,
           const compiler::Symbols &program_symbols);
  ~LlvmBack() override;

  [[noreturn]] void fail(Failure why) override;
  [[noreturn]] void fail(std::string message);
  [[noreturn]] void fail(std::string message, std::string remedy,
                         ErrorCode code = ErrorCode::bad_generator);

  [[nodiscard]] const std::string &label() const override;
  [[nodiscard]] const std::string &kind() const override;
  [[nodiscard]] const std::string &handler() const override;
  [[nodiscard]] const Value &setting() const override;
  [[nodiscard]] const PointType &result_type() const override;
  [[nodiscard]] const std::vector<PointType> &argument_types() const override;
  std::optional<Value> argument_value(unsigned index) override;
  Operand argument(unsigned index) override;
  Operand constant(const PointType &type, const Value &value) override;
  Operand add(Operand a, Operand b) override;
  Operand subtract(Operand a, Operand b) override;
  Operand multiply(Operand a, Operand b) override;
  Operand and_(Operand a, Operand b) override;
  Operand or_(Operand a, Operand b) override;
  Operand xor_(Operand a, Operand b) override;
  Operand shift_left(Operand a, Operand count) override;
  Operand shift_right_logical(Operand a, Operand count) override;
  Operand shift_right_arithmetic(Operand a, Operand count) override;
  Operand zero_extend(Operand a, const PointType &type) override;
  Operand sign_extend(Operand a, const PointType &type) override;
  Operand truncate(Operand a, const PointType &type) override;
  Operand as(Operand a, const PointType &type) override;
  Operand compare(Predicate predicate, Operand a, Operand b) override;
  Operand select(Operand condition, Operand then, Operand otherwise) override;
  Operand hide(Operand a) override;
  Variable variable(Operand initial) override;
  Operand get(Variable variable) override;
  void set(Variable variable, Operand value) override;
  Block block() override;
  void enter(Block block) override;
  void jump(Block target) override;
  void branch(Operand condition, Block then, Block otherwise) override;
  void switch_on(Operand value, const std::vector<Case> &cases, Block otherwise) override;
  void result(Operand value) override;
  Operand generic() override;
  Operand table(const PointType &type, const void *values, std::size_t count) override;
  Operand load(const PointType &type, Operand base, Operand index) override;
  Operand offset(Operand pointer, Operand bytes) override;
  Operand call(const std::string &symbol, const std::optional<PointType> &returned,
               const std::vector<Operand> &given) override;
  Operand call(Operand function, const std::optional<PointType> &returned,
               const std::vector<Operand> &given) override;
  void depends_on(const Invariant &invariant) override;
  Operand source(const CSource &source) override;

  detail::LlvmParts llvm_parts() override;
  void *llvm_value(Operand operand) override;
  Operand operand_of(void *llvm_value, const PointType &type) override;

  /// Returns the IRBuilder; its block must not have ended.
  llvm::IRBuilder<> &open();
  llvm::Value *value_of(Operand operand);
  llvm::Value *integer_of(Operand operand);
  llvm::Value *pointer_of(Operand operand);
  llvm::Value *condition_of(Operand operand);
  /// As an unsigned 64-bit integer.
  llvm::Value *index_of(Operand operand);
  llvm::BasicBlock *block_of(Block block);
  llvm::Type *type_of(const PointType &type);
  /// The type in memory: a boolean occupies a byte.
  llvm::Type *memory_type_of(const PointType &type);
  [[nodiscard]] Operand operand(llvm::Value *value, const PointType &type) const;
  void same_type(Operand a, Operand b);
  Operand binary(llvm::Instruction::BinaryOps integer, llvm::Instruction::BinaryOps floating,
                 Operand a, Operand b);
  Operand convert(Operand a, const PointType &type, llvm::Instruction::CastOps cast);
  Operand shift(llvm::Instruction::BinaryOps operation, Operand a, Operand count);
  /// Returns the existing definition or a new declaration. Fails if the symbol is unknown.
  llvm::Constant *symbol(const std::string &name, llvm::FunctionType *type);

  Operand call_of(llvm::FunctionCallee function, const std::optional<PointType> &returned,
                  const std::vector<Operand> &given);
  llvm::FunctionType *signature(const std::optional<PointType> &returned,
                                const std::vector<Operand> &given);

  /// Checks what the generator has built. Fails with bad_generator, generated_invalid_ir.
  Result<void> finish();

  llvm::Function &wrapper;
  const compiler::CustomPoint &point;
  const compiler::Symbols &symbols;
  llvm::IRBuilder<> ir;
  llvm::CallInst *generic_call; ///< Copied for each call of the generic function. Owned.
  PointType result_is;
  std::vector<PointType> arguments;
  std::vector<std::uint64_t> invariants;
  std::optional<Failure> failure;
  unsigned hidden = 0;
  std::uint64_t id; ///< Unique among the builders of a process.
};

} // namespace sartor

#endif
