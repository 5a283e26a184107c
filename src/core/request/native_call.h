// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_REQUEST_NATIVE_CALL_H
#define SARTOR_CORE_REQUEST_NATIVE_CALL_H

#include <cstdint>
#include <expected>
#include <string>
#include <vector>

namespace sartor::core {

/// A call of the program's own code, made while a variant is compiled (SARTOR_FOLD). A value type:
/// the compiler may be in another process.
struct NativeCall {
  /// Types of scalars. Narrow integers are extended as in the callee's declaration.
  enum class Type : std::uint8_t {
    u8,
    s8,
    u16,
    s16,
    u32,
    s32,
    u64,
    pointer,
    f32,
    f64,
    kLast = f64
  };

  std::uintptr_t address = 0;
  Type result = Type::u64;
  std::vector<Type> types;
  std::vector<std::uint64_t> arguments; ///< The bits of the arguments, one for each type.
};

/// Makes the call. Returns the bits of the result, or the reason of a failure: the name of the
/// signal of a fault or abort, an exception, or that no process could be started to contain the
/// call (base/contain.h).
std::expected<std::uint64_t, std::string> call_native(NativeCall call);

} // namespace sartor::core

#endif
