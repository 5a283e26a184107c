// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_FRONTEND_SCALAR_H
#define SARTOR_COMPILER_FRONTEND_SCALAR_H

#include <optional>

#include <llvm/IR/Constant.h>
#include <llvm/IR/DataLayout.h>

#include <sartor/space.hpp>

namespace sartor::compiler {

/// True for integers, float, double and pointers.
[[nodiscard]] bool is_scalar(const llvm::Type &type);
/// True for scalars of at most 64 bits.
[[nodiscard]] bool fits_word(const llvm::Type &type);

/// Returns the type of a scalar, as far as LLVM knows it: LLVM has no signedness, and knows bool
/// only as i1.
PointType scalar_type(const llvm::Type &type, const llvm::DataLayout &layout, bool is_signed,
                      bool is_bool);

/// Converts a constant to a Value: integers by the signedness of `type`, pointers to a symbol's
/// place (place.h) or to a number. Nothing for other constants.
std::optional<Value> to_value(const llvm::Constant &constant, const PointType &type);

/// Converts an integer or a floating-point number to a constant of a scalar type; for pointers, to
/// an address.
llvm::Constant *to_constant(const Value &value, llvm::Type &type);

/// Converts bytes in memory to a constant of a type that is no aggregate; missing bytes are zero.
llvm::Constant *to_constant(llvm::StringRef bytes, llvm::Type &type,
                            const llvm::DataLayout &layout);

} // namespace sartor::compiler

#endif
