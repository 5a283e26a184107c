// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_REQUEST_FOLDABLE_H
#define SARTOR_CORE_REQUEST_FOLDABLE_H

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <sartor/foldable.h>

#include "core/request/native_call.h"
#include "core/request/promised_memory.h"

namespace sartor::core {

/// A function marked SARTOR_FOLD, as a compiler sees it: see sartor_foldable.
struct Foldable {
  std::string name;
  NativeCall::Type result = NativeCall::Type::u64;
  std::vector<NativeCall::Type> arguments;
  /// Empty where the reads of the function have no bound that is declared or found.
  std::optional<std::vector<sartor_extent>> extents;
};

/// Why a call that a compiler outside of this process asks for is not made; empty where it may be:
/// the address is that of a foldable function, result and arguments have its types, and what it
/// reads behind each pointer lies within one object of the invariant memory. `bound`: addresses in
/// the context that the variant is made for.
std::string why_not_callable(const NativeCall &call, std::span<const sartor_foldable> foldables,
                             const Reached &memory, std::span<const std::uintptr_t> bound);

} // namespace sartor::core

#endif
