// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_COMPILER_BUILDER_BACK_H
#define SARTOR_CORE_COMPILER_BUILDER_BACK_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <sartor/builder.hpp>

#include "base/result.h"

namespace sartor {

/// The implementation of a Builder, provided by the compiler (compiler/specialize/builder.h).
/// Programs are linked with Builder's functions without the compiler.
struct Builder::Impl {
  using Operand = Builder::Operand;
  using Block = Builder::Block;
  using Variable = Builder::Variable;
  using Predicate = Builder::Predicate;
  using Case = Builder::Case;
  using CSource = Builder::CSource;

  Impl() = default;
  virtual ~Impl() = default;
  Impl(const Impl &) = delete;
  Impl &operator=(const Impl &) = delete;

  static Impl &of(Builder &builder) { return *builder.impl_; }

  /// Stores the first failure, and throws it.
  [[noreturn]] virtual void fail(Failure why) = 0;

  // See Builder.
  [[nodiscard]] virtual const std::string &label() const = 0;
  [[nodiscard]] virtual const std::string &kind() const = 0;
  [[nodiscard]] virtual const std::string &handler() const = 0;
  [[nodiscard]] virtual const Value &setting() const = 0;
  [[nodiscard]] virtual const PointType &result_type() const = 0;
  [[nodiscard]] virtual const std::vector<PointType> &argument_types() const = 0;
  virtual std::optional<Value> argument_value(unsigned index) = 0;
  virtual Operand argument(unsigned index) = 0;
  virtual Operand constant(const PointType &type, const Value &value) = 0;
  virtual Operand add(Operand a, Operand b) = 0;
  virtual Operand subtract(Operand a, Operand b) = 0;
  virtual Operand multiply(Operand a, Operand b) = 0;
  virtual Operand and_(Operand a, Operand b) = 0;
  virtual Operand or_(Operand a, Operand b) = 0;
  virtual Operand xor_(Operand a, Operand b) = 0;
  virtual Operand shift_left(Operand a, Operand count) = 0;
  virtual Operand shift_right_logical(Operand a, Operand count) = 0;
  virtual Operand shift_right_arithmetic(Operand a, Operand count) = 0;
  virtual Operand zero_extend(Operand a, const PointType &type) = 0;
  virtual Operand sign_extend(Operand a, const PointType &type) = 0;
  virtual Operand truncate(Operand a, const PointType &type) = 0;
  virtual Operand as(Operand a, const PointType &type) = 0;
  virtual Operand compare(Predicate predicate, Operand a, Operand b) = 0;
  virtual Operand select(Operand condition, Operand then, Operand otherwise) = 0;
  virtual Operand hide(Operand a) = 0;
  virtual Variable variable(Operand initial) = 0;
  virtual Operand get(Variable variable) = 0;
  virtual void set(Variable variable, Operand value) = 0;
  virtual Block block() = 0;
  virtual void enter(Block block) = 0;
  virtual void jump(Block target) = 0;
  virtual void branch(Operand condition, Block then, Block otherwise) = 0;
  virtual void switch_on(Operand value, const std::vector<Case> &cases, Block otherwise) = 0;
  virtual void result(Operand value) = 0;
  virtual Operand generic() = 0;
  virtual Operand table(const PointType &type, const void *values, std::size_t count) = 0;
  virtual Operand load(const PointType &type, Operand base, Operand index) = 0;
  virtual Operand offset(Operand pointer, Operand bytes) = 0;
  virtual Operand call(const std::string &symbol, const std::optional<PointType> &returned,
                       const std::vector<Operand> &given) = 0;
  virtual Operand call(Operand function, const std::optional<PointType> &returned,
                       const std::vector<Operand> &given) = 0;
  virtual void depends_on(const Invariant &invariant) = 0;
  virtual Operand source(const CSource &source) = 0;

  // Used by builder_llvm.hpp.
  virtual detail::LlvmParts llvm_parts() = 0;
  virtual void *llvm_value(Operand operand) = 0;
  virtual Operand operand_of(void *llvm_value, const PointType &type) = 0;

protected:
  // Access to private members of operands, for Builders only.
  static Operand make_operand(void *value, std::uint64_t owner, const PointType &type) {
    return {value, owner, type};
  }
  static void *value_in(const Operand &operand, std::uint64_t owner) {
    return operand.owner_ == owner ? operand.value_ : nullptr;
  }
  static Block make_block(void *block, std::uint64_t owner) {
    Block made;
    made.block_ = block;
    made.owner_ = owner;
    return made;
  }
  static void *block_in(const Block &block, std::uint64_t owner) {
    return block.owner_ == owner ? block.block_ : nullptr;
  }
  static Variable make_variable(const Operand &place, const PointType &type) {
    Variable made;
    made.place_ = place;
    made.type_ = type;
    return made;
  }
  static const Operand &place_of(const Variable &variable) { return variable.place_; }
  static const PointType &type_in(const Variable &variable) { return variable.type_; }
};

} // namespace sartor

#endif
