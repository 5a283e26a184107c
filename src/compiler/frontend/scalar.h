// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_FRONTEND_SCALAR_H
#define SARTOR_COMPILER_FRONTEND_SCALAR_H

#include <optional>

#include <llvm/IR/Constant.h>
#include <llvm/IR/DataLayout.h>

#include <sartor/space.hpp>

namespace sartor::compiler {

/// Whether values of a type are integers, float, double or pointers.
[[nodiscard]] bool is_scalar(const llvm::Type &type);
/// Whether that is so, and they fit into 64 bits.
[[nodiscard]] bool fits_word(const llvm::Type &type);

/// What a scalar's type is, as far as LLVM knows it; it does not know signs, and bool only as i1.
PointType scalar_type(const llvm::Type &type, const llvm::DataLayout &layout, bool is_signed,
                      bool is_bool);

/// A constant as a Value: integers by the signedness of `type`, pointers as the place that they
/// name (place.h) or as a number. Nothing for what has neither.
std::optional<Value> to_value(const llvm::Constant &constant, const PointType &type);

/// An integer or a floating-point number as a constant of a scalar type; for pointers, an address.
llvm::Constant *to_constant(const Value &value, llvm::Type &type);

/// The constant of a type that is no aggregate whose first bytes in memory are these; the others
/// are zero.
llvm::Constant *to_constant(llvm::StringRef bytes, llvm::Type &type,
                            const llvm::DataLayout &layout);

} // namespace sartor::compiler

#endif
