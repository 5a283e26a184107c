// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_SPECIALIZE_NATIVE_CALL_H
#define SARTOR_COMPILER_SPECIALIZE_NATIVE_CALL_H

#include <cstdint>
#include <optional>
#include <vector>

#include <llvm/IR/Function.h>

#include "core/request/native_call.h"

namespace sartor::compiler {

/// Describes a call of the native code of `function` at `address`: arguments and result are the
/// bits of scalars (pointers, integers of up to 64 bits, float, double). Nothing if the function
/// has other types.
std::optional<core::NativeCall> native_call(std::uintptr_t address, const llvm::Function &function,
                                            std::vector<std::uint64_t> arguments);

} // namespace sartor::compiler

#endif
