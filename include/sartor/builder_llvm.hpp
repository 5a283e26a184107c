// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// For generators that write LLVM's IR themselves. Not included by sartor.hpp: it needs the headers
/// of the LLVM that Sartor is linked with (sartor_llvm_version()), and its library.
#ifndef SARTOR_BUILDER_LLVM_HPP
#define SARTOR_BUILDER_LLVM_HPP

#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>

#include <sartor/builder.hpp>

namespace sartor {

/// What a Builder writes into. The two ways may be mixed: Builder goes on wherever `ir` stands.
struct LlvmBuilder {
  llvm::Function &function; ///< To be filled; it has the point's arguments and result.
  llvm::Function &generic;  ///< What the point calls in native code, with the same type.
  llvm::IRBuilder<> &ir;    ///< At the end of the current block.
};

/// Valid while the generator runs.
inline LlvmBuilder llvm_builder(Builder &builder) {
  const detail::LlvmParts parts = detail::llvm_parts(builder);
  return {*static_cast<llvm::Function *>(parts.function),
          *static_cast<llvm::Function *>(parts.generic),
          *static_cast<llvm::IRBuilder<> *>(parts.ir)};
}
/// A Builder's operand as LLVM's.
inline llvm::Value *llvm_value(Builder &builder, Builder::Operand operand) {
  return static_cast<llvm::Value *>(detail::llvm_value(builder, operand));
}
/// LLVM's value as a Builder's operand. Throws bad_generator if it is not of that type.
inline Builder::Operand operand_of(Builder &builder, llvm::Value *value, const PointType &type) {
  return detail::operand_of(builder, value, type);
}

} // namespace sartor

#endif
