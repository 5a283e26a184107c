// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_REQUEST_FOLDABLE_H
#define SARTOR_CORE_REQUEST_FOLDABLE_H

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <sartor/foldable.h>

#include "core/request/invariant_memory.h"
#include "core/request/native_call.h"

namespace sartor::core {

/// A function marked SARTOR_FOLD, as described to a compiler: see sartor_foldable.
struct Foldable {
  std::string name;
  NativeCall::Type result = NativeCall::Type::u64;
  std::vector<NativeCall::Type> arguments;
  /// Empty if no bound of the function's reads is declared or found.
  std::optional<std::vector<sartor_extent>> extents;
};

/// The reason why a call requested by an out-of-process compiler is refused; empty if it may be
/// made. The address must be that of a foldable function, result and arguments must have its types,
/// and the memory that it reads behind each pointer must be within one object of the invariant
/// memory. `bound`: addresses in the context that the variant is made for.
std::string why_not_callable(const NativeCall &call, std::span<const sartor_foldable> foldables,
                             const Reached &memory, std::span<const std::uintptr_t> bound);

} // namespace sartor::core

#endif
