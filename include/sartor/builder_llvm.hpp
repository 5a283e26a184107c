// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Interface for generators that write LLVM IR themselves. Not included by sartor.hpp: it needs the
/// headers of the LLVM that Sartor is linked with (sartor_llvm_version()), and its library.
#ifndef SARTOR_BUILDER_LLVM_HPP
#define SARTOR_BUILDER_LLVM_HPP

#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>

#include <sartor/builder.hpp>

namespace sartor {

/// The LLVM objects that a Builder writes to. Both interfaces may be mixed: Builder continues at
/// the position of `ir`.
struct LlvmBuilder {
  llvm::Function &function; ///< To be filled; it has the point's arguments and result.
  llvm::Function &generic;  ///< Called by the point in native code; same type.
  llvm::IRBuilder<> &ir;    ///< Positioned at the end of the current block.
};

/// Returns the builder's LLVM objects; valid while the generator runs.
inline LlvmBuilder llvm_builder(Builder &builder) {
  const detail::LlvmParts parts = detail::llvm_parts(builder);
  return {*static_cast<llvm::Function *>(parts.function),
          *static_cast<llvm::Function *>(parts.generic),
          *static_cast<llvm::IRBuilder<> *>(parts.ir)};
}
/// Converts an operand of a Builder to an LLVM value.
inline llvm::Value *llvm_value(Builder &builder, Builder::Operand operand) {
  return static_cast<llvm::Value *>(detail::llvm_value(builder, operand));
}
/// Converts an LLVM value to an operand of a Builder. Throws bad_generator if it is not of that
/// type.
inline Builder::Operand operand_of(Builder &builder, llvm::Value *value, const PointType &type) {
  return detail::operand_of(builder, value, type);
}

} // namespace sartor

#endif
