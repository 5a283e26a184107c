// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_REQUEST_NATIVE_CALL_H
#define SARTOR_CORE_REQUEST_NATIVE_CALL_H

#include <cstdint>
#include <expected>
#include <string>
#include <vector>

namespace sartor::core {

/// A call of the program's own code, made while a variant is (SARTOR_FOLD). A value: who makes the
/// variant may be elsewhere.
struct NativeCall {
  /// Of scalars. Narrow integers are extended the way the callee's declaration says.
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
  std::vector<std::uint64_t> arguments; ///< Their bits, as many as types.
};

/// Calls it. The bits of the result, or why there is none: the name of a signal that it has faulted
/// or aborted with, an exception, or that no process could be started to contain it
/// (base/contain.h).
std::expected<std::uint64_t, std::string> call_native(NativeCall call);

} // namespace sartor::core

#endif
